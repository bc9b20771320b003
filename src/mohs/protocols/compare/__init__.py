"""Is one agent better than another on the same cells? Diagnoses held against each other."""

from mohs.protocols.protocol import Protocol

PROTOCOL = Protocol(
    name="compare",
    text="Is one diagnosed agent better than another, dial by dial and over all?",
    page=f"{__name__}.page:page",
    summary=f"{__name__}.page:summary",
    methods=f"{__name__}.methods:methods",
    commands={"compare": f"{__name__}.command:compare_command"},
)
