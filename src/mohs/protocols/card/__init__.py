"""How hard is a task, and why? The hardness card, before any training."""

from mohs.protocols.protocol import Protocol

PROTOCOL = Protocol(
    name="card",
    text="How hard is a task, and why, before anything is trained?",
    page=f"{__name__}.page:page",
    summary=f"{__name__}.summary:summary",
    methods=f"{__name__}.methods:methods",
    commands={"card": f"{__name__}.command:card"},
)
