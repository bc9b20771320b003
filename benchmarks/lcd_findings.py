"""Do the findings of the Learning Challenge Diagnosticator (Govindarajan et al. 2023) hold, on planted and real games?

    python -m benchmarks.lcd_findings [--only planted arcade agents procgen] [--games bigfish,leaper] [--store URL]

Trains what the store lacks (hours; the same command resumes), then rewrites these sections of docs/findings.md. Every
claim says what decides it before it looks at scores.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from benchmarks.peer import ONE_THREAD

os.environ.update(ONE_THREAD)

import numpy as np

import mohs
from benchmarks import planted_challenges, planted_ladders
from benchmarks.section import Finding, markdown, replace_section, shown
from mohs.protocols.lcd.asked import make_study
from mohs.protocols.lcd.conditions import PIXELS, Remedy, helped, helps
from mohs.protocols.lcd.sentences import KINDS
from mohs.protocols.lcd.verdict import Challenge, GameResult, LcdVerdict
from mohs.report import numbers
from mohs.report.methods import counted
from mohs.stats import Estimate
from mohs.stats.comparison import spearman
from mohs.stats.counts import share
from mohs.stats.lcd import Cost, Judgement

END = "<!-- end of this part -->"
SHAPED = {"heist", "leaper", "maze"}  # games of Procgen with rewards for sub-goals
GAMES = "starpilot,fruitbot,bigfish,coinrun,leaper,heist,maze,plunder"
# Where PPO places the games in Figure 1d: (hard to see, hard to learn).
PAPER: Mapping[str, tuple[bool, bool]] = {
    **dict.fromkeys(("fruitbot", "jumper", "miner", "heist", "chaser", "bossfight"), (False, False)),
    **dict.fromkeys(
        ("caveflyer", "dodgeball", "plunder", "coinrun", "ninja", "climber", "starpilot"), (True, False)
    ),
    **dict.fromkeys(("bigfish", "leaper"), (False, True)),
    "maze": (True, True),
}  # fmt: skip
PLANTED = {"neither": "neither", "see": "hard to see", "learn": "hard to learn", "both": "both"}
RIGHT = 0.95


def costed(cost: Cost | None) -> str:
    """40% [32%, 47%] challenge."""
    return "–" if cost is None else f"{numbers.share(cost)} {cost.judgement}"


def planted_apart(data: Mapping[str, Mapping[str, Any]]) -> Finding:
    """Four games made of one, whose challenges are known."""
    rows, right, wrong = [], [], []
    for name, of in data.items():
        cells = []
        for what, there in (("perception", name in ("see", "both")), ("learning", name in ("learn", "both"))):
            told = of[what]["challenge"]
            correct = told if there else 1 - told
            right.append(correct >= RIGHT)
            wrong.append(correct < RIGHT)
            cost = of[what]["cost"]
            cells += [f"{cost['value']:.2f} [{cost['low']:.2f}, {cost['high']:.2f}]", f"{told:.1%}"]
        rows.append([PLANTED[name], *cells])
    runs = next(iter(data.values()))["perception"]["cost"]["n"]
    return Finding(
        "Planted challenges",
        "What is hard to see and what is hard to learn are told apart.",
        f"in four games made of `arcade/avoid`, every planted challenge is found, and none where none is planted, in "
        f"{RIGHT:.0%} of studies with {planted_challenges.RUNS} seeds",
        "reproduced" if all(right) else f"different ({sum(right)} of {len(right)})",
        [*markdown(("planted", "cost of perception", "found", "cost of rarer reward", "found"), rows), "",
         f"1,000 studies drawn from {runs} runs of each condition. Costs are those of all runs; *found* is the share "
         "of studies that call it a challenge."],
    )  # fmt: skip


def dials_climb(data: Mapping[str, Mapping[str, Any]]) -> Finding:
    """A dose ladder for each dial."""
    rows = []
    for name, of in data.items():
        doses = [
            f"{dose}: {cost['value']:.2f} [{cost['low']:.2f}, {cost['high']:.2f}]"
            for dose, cost in zip(of["doses"], of["costs"], strict=True)
        ]
        where = f"{of['game']}, {of['steps']:,} steps"
        rows.append([f"`{name}`", where, of["cost"], "; ".join(doses), "yes" if of["rises"] else "no"])
    climbs = [bool(of["rises"]) for of in data.values()]
    return Finding(
        "Dose ladders",
        "More of a planted difficulty is more of its challenge.",
        "for every dial no dose is clearly below an easier one (intervals apart) and the hardest is clearly above the "
        "easiest",
        "reproduced" if all(climbs) else f"different ({sum(climbs)} of {len(climbs)} dials)",
        [*markdown(("dial", "game", "cost", "doses", "rises"), rows), "",
         f"PPO, {data[next(iter(data))]['costs'][0]['n']} seeds at each dose, 500 training levels."],
    )  # fmt: skip


def nothing_is_nothing(verdict: LcdVerdict) -> Finding:
    """Controls that change nothing that matters."""
    found = [cost for result in verdict.results for cost in result.controls.values()]
    judged = [cost for cost in found if cost.judgement not in (Judgement.FLOOR, Judgement.CEILING, Judgement.TOO_FEW)]
    alarms = sum(cost.judgement is Judgement.CHALLENGE for cost in judged)
    of = share(alarms, len(judged))
    rows = [[result.game, *map(costed, result.controls.values())] for result in verdict.results]
    return Finding(
        "Controls",
        "What changes nothing is no challenge.",
        "exchanged ids and other seeds are called a challenge in 5% of the games or less",
        f"{'reproduced' if of.value <= 0.05 else 'not reproduced'} ({alarms} of {len(judged)})",
        [*markdown(("game", *verdict.results[0].controls), rows), "",
         f"False alarms: {numbers.share(of)}, n = {len(judged)}."],
    )  # fmt: skip


def kinds_differ(verdict: LcdVerdict) -> Finding:
    """The taxonomy of the arcade."""
    kinds = {result.challenge for result in verdict.results}
    apart = {Challenge.PERCEPTION, Challenge.LEARNING} <= kinds
    both = bool(kinds & {Challenge.PERCEPTION, Challenge.LEARNING, Challenge.NEITHER, Challenge.BOTH})
    return Finding(
        "Figure 1d, arcade",
        "Games differ in what makes them hard.",
        "some game is hard to see and not to learn, and another the other way round",
        "reproduced" if apart else "open" if both else "not reproduced",
        [*_costs(verdict.results), "", _sizes(verdict)],
    )


def as_in_the_paper(verdict: LcdVerdict) -> Finding:
    """Procgen's games beside Figure 1d."""
    rows, agree, told = [], 0, 0
    for result in verdict.results:
        said = PAPER[result.game.partition("/")[2].lower()]
        for there, cost in zip(said, (result.perception, result.learning), strict=True):
            if cost is not None and cost.judgement in (Judgement.CHALLENGE, Judgement.SMALL, Judgement.REVERSED):
                told += 1
                agree += (cost.judgement is Judgement.CHALLENGE) == there
        name = {(False, False): "neither", (True, False): "to see", (False, True): "to learn", (True, True): "both"}
        rows.append([
            result.game, name[said], numbers.estimated(result.reached), costed(result.perception),
            costed(result.learning), KINDS[result.challenge],
        ])  # fmt: skip
    outcome = "open" if not told else "reproduced" if agree == told else "different" if agree else "not reproduced"
    heads = ("game", "hard in the paper", "reached", "cost of perception", "cost of rarer reward", "here")
    return Finding(
        "Figure 1d, Procgen",
        "Each game of Procgen has the place that the paper gives it.",
        "every cost that is decided here is a challenge where the paper says hard, and none where it says easy",
        f"{outcome} ({agree} of {told} decided costs)",
        [*markdown(heads, rows), "",
         f"{_sizes(verdict)} Easy levels, 32 × 32 pixels. The paper: 200 million steps, hard levels, and places "
         "relative to the other games."],
    )  # fmt: skip


def agents_agree(verdict: LcdVerdict) -> Finding:
    """Rank correlations of two agents over games."""
    (found,) = verdict.agreements
    pairs = {"perception": found.perception, "rarer reward": found.learning}
    known = {name: e for name, e in pairs.items() if e is not None}
    sure, none = [e.low > 0 for e in known.values()], [e.high < 0 for e in known.values()]
    return Finding(
        "Figure 4",
        "PPO and PPG order the games alike.",
        "the rank correlations of both costs over the games are positive (whole intervals)",
        "reproduced" if all(sure) else "not reproduced" if any(none) else f"open ({sum(sure)} of {len(sure)})",
        [*markdown(("cost", "rank correlation"), [[name, numbers.estimated(e)] for name, e in known.items()]), "",
         *_costs(verdict.results), "", _sizes(verdict)],
    )  # fmt: skip


def gains_add_up(verdict: LcdVerdict) -> Finding:
    """PPG on the semantic view against the sum of both gains."""
    found = verdict.synergies
    more, less = sum(s.extra.low > 0 for s in found), sum(s.extra.high < 0 for s in found)
    outcome = "reproduced" if more and less else "not reproduced" if max(more, less) == len(found) else "open"
    return Finding(
        "Figure 5",
        "A better agent and a better view give more together than the sum of both gains, on some games only.",
        "the synergy is positive on some games (whole interval) and negative on others",
        f"{outcome} ({more} of {len(found)} more, {less} less)",
        [*markdown(("game", "synergy"), [[s.game, numbers.estimated(s.extra)] for s in found]), "",
         "In shares of the range from the random policy to the best return. All intervals hold together at 95%."],
    )  # fmt: skip


def front_ends_help(verdict: LcdVerdict) -> Sequence[Finding]:
    """What the front-end that learnt from motion adds, and where."""
    rows = [
        [r.game, costed(r.perception), *(numbers.estimated(r.gains[x]) for x in (Remedy.MOTION, Remedy.GENERIC))]
        for r in verdict.results
    ]
    gains = [r.gains[Remedy.MOTION] for r in verdict.results]
    costs = np.array([1 - r.runs.areas[PIXELS] / r.reached.value for r in verdict.results])
    related = spearman(costs, np.array([_gained(r, Remedy.MOTION) for r in verdict.results]))
    more, less = sum(e.low > 0 for e in gains), sum(e.high < 0 for e in gains)
    generic = [r.gains[Remedy.GENERIC] for r in verdict.results]
    helpful = sum(e.low > 0 for e in generic)
    table = [*markdown(("game", "cost of perception", "gain from motion", "gain of the generic control"), rows), ""]
    return (
        Finding(
            "Figure 3",
            "A front-end that learnt objects from motion helps the more, the harder a game is to see.",
            "the rank correlation of its gain with the cost of perception is positive (whole interval)",
            _sign(related),
            [*table, f"Rank correlation over {len(gains)} games: {numbers.estimated(related)}. Motion adds on {more} "
             f"games and takes on {less} (whole intervals). Gains in shares of the range. {_sizes(verdict)}"],
        ),
        Finding(
            "Figure 12",
            "A front-end that knows nothing of the game does not help.",
            "its gain is above 0 on no game (whole intervals)",
            f"{'reproduced' if not helpful else 'not reproduced'} ({helpful} of {len(generic)} games)",
            ["The control is a frozen bank of edges and opponent colours, not CLIP. The table above has its gains."],
        ),
    )  # fmt: skip


def shaping_helps(verdict: LcdVerdict) -> Finding:
    """What rewards for sub-goals add."""
    results = [r for r in verdict.results if Remedy.SHAPING in r.gains]
    gains = [r.gains[Remedy.SHAPING] for r in results]
    sure, against = [e.low > 0 for e in gains], [e.high < 0 for e in gains]
    rows = [
        [r.game, numbers.estimated(r.reached), costed(r.learning), numbers.estimated(e)]
        for r, e in zip(results, gains, strict=True)
    ]
    return Finding(
        "Figure 13",
        "Rewards for sub-goals help in games that are hard to learn.",
        "the gain on held-out levels, with the original reward, is above 0 on every game that has them (whole "
        "intervals)",
        "reproduced" if all(sure) else f"{'different' if any(against) else 'open'} ({sum(sure)} of {len(sure)})",
        [*markdown(("game", "reached without", "cost of rarer reward", "gain from shaping"), rows), "",
         f"In the semantic view. Over {counted(len(results), 'game')} a rank correlation with the learning challenge "
         "says nothing; the paper's ρ = .92 over three games cannot occur."],
    )  # fmt: skip


def _gained(result: GameResult, remedy: Remedy) -> Any:
    return result.runs.areas[helped(remedy)] - result.runs.areas[helps(remedy)]


def _sign(e: Estimate) -> str:
    return "reproduced" if e.low > 0 else "not reproduced" if e.high < 0 else "open"


def _costs(results: Iterable[GameResult]) -> list[str]:
    rows = [
        [r.game, r.agent, numbers.estimated(r.reached), costed(r.perception), costed(r.learning), KINDS[r.challenge]]
        for r in results
    ]
    return markdown(("game", "agent", "reached", "cost of perception", "cost of rarer reward", "verdict"), rows)


def _sizes(verdict: LcdVerdict) -> str:
    study = verdict.study
    return f"{study.seeds} seeds, {study.steps:,} steps, 500 training levels; areas on held-out levels."


def planted(given: argparse.Namespace) -> Iterable[Finding]:
    """Games whose challenges are known."""
    yield planted_apart(planted_challenges.found(given.store))
    yield dials_climb(planted_ladders.found(given.store))


def arcade(given: argparse.Namespace) -> Iterable[Finding]:
    """All games of the arcade, and what helps."""
    verdict = concluded(given, edition="arcade", remedies=list(Remedy))
    yield nothing_is_nothing(verdict)
    yield kinds_differ(verdict)
    yield from front_ends_help(verdict)
    yield shaping_helps(verdict)


def agents(given: argparse.Namespace) -> Iterable[Finding]:
    """PPO and PPG on the arcade."""
    verdict = concluded(given, edition="arcade", agents=["ppo", "ppg"], controls=False, figure_ground=False)
    yield agents_agree(verdict)
    yield gains_add_up(verdict)


def procgen(given: argparse.Namespace) -> Iterable[Finding]:
    """Games of Procgen, with shaping where there is some."""
    shaped = not SHAPED.isdisjoint(given.games.split(","))
    verdict = concluded(
        given, edition="procgen", games=[f"procgen:{given.games}"], remedies=["shaping"] if shaped else [],
        controls=False, figure_ground=False,
    )  # fmt: skip
    yield as_in_the_paper(verdict)
    if shaped:
        yield shaping_helps(verdict)


PARTS = {"planted": planted, "arcade": arcade, "agents": agents, "procgen": procgen}


def concluded(given: argparse.Namespace, **asked: Any) -> LcdVerdict:
    """The verdict on a study, which runs where the store lacks it."""
    found: LcdVerdict = mohs.run(make_study(**asked), store=given.store, keep_going=True, progress="plain")
    return found


def main() -> None:
    """Judges the claims of some parts and rewrites their sections."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="+", choices=list(PARTS), default=list(PARTS))
    parser.add_argument("--games", default=GAMES, help="games of Procgen")
    parser.add_argument("--store", default="sqlite:///lcd_findings.db")
    parser.add_argument("--print", action="store_true", help="print the sections and leave the page as it is")
    given = parser.parse_args()
    for part in given.only:
        text = shown(tuple(PARTS[part](given)))
        if given.print:
            print(text)
        else:
            replace_section(text, f"<!-- generated by python -m benchmarks.lcd_findings --only {part} -->", END)


if __name__ == "__main__":
    main()
