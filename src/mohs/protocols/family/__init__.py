"""Does the ranking of methods survive the whole family of tasks? Task underspecification (Jayawardana et al. 2022)."""

from mohs.protocols.protocol import training_protocol

PROTOCOL = training_protocol(
    __name__,
    "family",
    "How do methods rank over a weighted family of tasks, and how misleading is its default point?",
    "FamilyStudy",
    gate=f"{__name__}.gate:gate",
    methods=f"{__name__}.methods:methods",
    commands={"family-table": f"{__name__}.command:table_command"},
)
