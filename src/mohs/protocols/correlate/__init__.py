"""Does a cheap study say what an expensive one would? Rank correlations of toy and complex studies."""

from mohs.protocols.protocol import Protocol

PROTOCOL = Protocol(
    name="correlate",
    text="Do toy studies order the doses as a complex one does?",
    page=f"{__name__}.page:page",
    summary=f"{__name__}.page:summary",
    methods=f"{__name__}.methods:methods",
    commands={"correlate": f"{__name__}.command:correlate_command"},
)
