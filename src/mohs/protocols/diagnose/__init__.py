"""Which dial breaks an agent, at which dose? The protocol of MDP Playground."""

from mohs.protocols.protocol import training_protocol

PROTOCOL = training_protocol(
    __name__,
    "diagnose",
    "Which dial of hardness breaks an agent, and at which dose?",
    "DiagnosisStudy",
    gate=f"{__name__}.gate:gate",
    methods=f"{__name__}.methods:methods",
)
