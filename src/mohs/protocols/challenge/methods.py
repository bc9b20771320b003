"""How is a run of the challenge described in the methods section of a paper?"""

from __future__ import annotations

from mohs.protocols.challenge.editions import is_control
from mohs.protocols.challenge.verdict import LEVEL, ChallengeVerdict
from mohs.report import numbers
from mohs.report.methods import Methods, counted, paragraph


def methods(verdict: ChallengeVerdict) -> Methods:
    """The MDPs, the agents, the runs, and when an MDP counts as solved."""
    study, controls = verdict.study, sum(map(is_control, verdict.mdps))
    agents = "; ".join(f"{s.agent}" for agent in study.agents for s in agent.settings)
    sticky = f" with sticky actions of probability {study.sticky:g}" if study.sticky else ""
    return paragraph(
        [
            f"We trained {agents} on {counted(len(verdict.mdps) - controls, 'MDP')} of the Effective Horizon Challenge "
            f"[@laidlaw2025challenge] and {counted(controls, 'control')}{sticky}.",
            f"Every run had {study.budget:,} steps; there were {counted(study.seeds, 'seed')} for each setting, "
            f"{counted(verdict.runs, 'run')} in all, {verdict.missing:,} of them missing. The greedy policy was "
            f"evaluated every {study.every:,} steps on {counted(study.episodes, 'episode')}.",
            "An MDP is solved when an evaluation earns the optimal return, which is known exactly from its table; the "
            "sample complexity is the median over seeds of the steps up to then, in the best setting of each agent."
            if not study.sticky
            else "An MDP is solved by the rule for sticky actions, relative to its exact random and optimal returns.",
            "Effective horizons and GORP are those of [@laidlaw2023bridging; @laidlaw2024stochastic].",
            f"Shares of MDPs have binomial {numbers.level(LEVEL)} intervals over MDPs [@clopper1934confidence].",
        ]
    )
