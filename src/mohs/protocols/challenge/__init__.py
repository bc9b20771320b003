"""How long an effective horizon can an agent cope with? The Effective Horizon Challenge."""

from mohs.protocols.protocol import Protocol

PROTOCOL = Protocol(
    name="challenge",
    text="Which puzzles and games of the Effective Horizon Challenge does an agent solve?",
    study=f"{__name__}.study:ChallengeStudy",
    plan=f"{__name__}.study:plan",
    verdict=f"{__name__}.verdict:verdict",
    page=f"{__name__}.page:page",
    summary=f"{__name__}.page:summary",
    ask=f"{__name__}.command:ask",
    command="challenge run",
    prepare=f"{__name__}.study:open_tables",
    commands={
        "challenge list": f"{__name__}.tables:list_mdps",
        "challenge build": f"{__name__}.tables:build",
        "challenge show": f"{__name__}.tables:show",
        "challenge card": f"{__name__}.tables:card",
        "challenge verify": f"{__name__}.tables:verify",
    },
)
