"""What is kept, and what transfers, when tasks come one after the other? Lifelong learning on curricula."""

from mohs.protocols.protocol import Protocol

PROTOCOL = Protocol(
    name="lifelong",
    text="What does an agent keep and transfer when tasks come one after the other?",
    study=f"{__name__}.study:LifelongStudy",
    plan=f"{__name__}.study:plan",
    verdict=f"{__name__}.verdict:verdict",
    page=f"{__name__}.page:page",
    summary=f"{__name__}.page:summary",
    ask=f"{__name__}.command:ask",
    commands={"curricula": f"{__name__}.command:curricula"},
)
