"""How long an effective horizon can an agent cope with? The Effective Horizon Challenge."""

from mohs.protocols.protocol import training_protocol

PROTOCOL = training_protocol(
    __name__,
    "challenge",
    "Which puzzles and games of the Effective Horizon Challenge does an agent solve?",
    "ChallengeStudy",
    command="challenge run",
    methods=f"{__name__}.methods:methods",
    prepare=f"{__name__}.study:open_tables",
    commands={
        f"challenge {words}": f"{__name__}.tables:{function}"
        for words, function in (
            ("list", "list_mdps"), ("build", "build"), ("show", "show"), ("card", "card"), ("verify", "verify")
        )
    },
)  # fmt: skip
