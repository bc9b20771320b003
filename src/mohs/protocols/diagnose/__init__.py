"""Which dial breaks an agent, at which dose? The protocol of MDP Playground."""

from mohs.protocols.protocol import Protocol

PROTOCOL = Protocol(
    name="diagnose",
    text="Which dial of hardness breaks an agent, and at which dose?",
    study=f"{__name__}.study:DiagnosisStudy",
    plan=f"{__name__}.study:plan",
    verdict=f"{__name__}.verdict:verdict",
    page=f"{__name__}.page:page",
    summary=f"{__name__}.page:summary",
    ask=f"{__name__}.command:ask",
)
