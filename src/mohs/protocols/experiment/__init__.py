"""What does a study file ask, and what came of it? Agents at the points of axes: `mohs run`."""

from mohs.protocols.protocol import Protocol

PROTOCOL = Protocol(
    name="experiment",
    text="How do agents do at the points of some axes, as a study file asks?",
    study=f"{__name__}.study:Experiment",
    plan=f"{__name__}.study:plan",
    verdict=f"{__name__}.verdict:verdict",
    page=f"{__name__}.page:page",
    summary=f"{__name__}.page:summary",
    ask=f"{__name__}.command:ask",
    command="run",
    commands={"studies": f"{__name__}.command:studies"},
)
