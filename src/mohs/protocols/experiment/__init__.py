"""What does a study file ask, and what came of it? Agents at the points of axes: `mohs run`."""

from mohs.protocols.protocol import training_protocol

PROTOCOL = training_protocol(
    __name__,
    "experiment",
    "How do agents do at the points of some axes, as a study file asks?",
    "Experiment",
    command="run",
    methods=f"{__name__}.methods:methods",
    commands={"studies": f"{__name__}.command:studies"},
)
