"""What is kept, and what transfers, when tasks come one after the other? Lifelong learning on curricula."""

from mohs.protocols.protocol import training_protocol

PROTOCOL = training_protocol(
    __name__,
    "lifelong",
    "What does an agent keep and transfer when tasks come one after the other?",
    "LifelongStudy",
    methods=f"{__name__}.methods:methods",
    commands={"curricula": f"{__name__}.command:curricula"},
)
