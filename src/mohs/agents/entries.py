"""Which agents come with mohs, and which forms of names lead to others?"""

from __future__ import annotations

from dataclasses import replace

from mohs.agents.entry import AgentEntry, AgentFinder
from mohs.core.errors import UsageError
from mohs.core.values import attribute

_ALGORITHMS = "mohs.agents.deep.algorithms"
_PACKS = "mohs.agents.deep.packs"


def tabular_agent(name: str, text: str) -> AgentEntry:
    """An agent with a table of action values, trained by compiled kernels."""
    return AgentEntry(
        name,
        text,
        learner="mohs.agents.tabular.learner:learner",
        config="mohs.agents.tabular.learner:TabularConfig",
        check_sees="mohs.agents.tabular.learner:check_sees",
        pack_size="mohs.agents.tabular.learner:most_cells",
        observes="state",
        task_id=True,
        history="history",
    )


def deep_agent(name: str, maker: str, config: str, text: str) -> AgentEntry:
    """An agent with networks: `maker` is its algorithm (see `deep/algorithm.py`), `config` a `DeepConfig`."""
    return AgentEntry(
        name,
        text,
        maker=maker,
        learner=f"{_PACKS}:learner",
        config=config,
        check_plays=f"{_PACKS}:check_plays",
        pack_size=f"{_PACKS}:most_cells",
        batched=True,
        observes="cells",
        task_id=True,
        lifelong=True,
        records=True,
        eager=f"{_PACKS}:eager",
    )


def _deep(name: str, module: str, algorithm: str, config: str, text: str) -> AgentEntry:
    return deep_agent(name, f"{_ALGORITHMS}.{module}:{algorithm}", f"{_ALGORITHMS}.{module}:{config}", text)


def _recurrent(name: str, algorithm: str, text: str) -> AgentEntry:
    return replace(_deep(name, name, algorithm, f"{algorithm}Config", text), history=0)


def _evolution(name: str, module: str, config: str, text: str) -> AgentEntry:
    """A search for the weights of a policy, whose unit is an episode."""
    learner = "mohs.agents.evolution.learner"
    return AgentEntry(
        name,
        text,
        learner=f"{learner}:learner",
        config=f"mohs.agents.evolution.{module}:{config}",
        check_plays=f"{learner}:check_plays",
        pack_size=f"{learner}:most_cells",
        batched=True,
    )


def _python(name: str, text: str) -> AgentEntry:
    """GORP and SQIRL: Python objects that play finitely many actions in whole episodes."""
    module = f"mohs.agents.planning.{name}"
    return AgentEntry(
        name,
        text,
        maker=f"{module}:make_{name}",
        config=f"{module}:{name.title()}Config",
        check_plays="mohs.agents.episodes:check_plays",
        history=0,
        records=True,
    )


def _controller(name: str, config: str, text: str, learns: bool = True) -> AgentEntry:
    """A controller of traffic signals that needs no network."""
    module = f"mohs.agents.traffic.{name}"
    return AgentEntry(
        name,
        text,
        maker=f"{module}:make_{name}",
        config=config,
        check_plays="mohs.agents.traffic.signals:check_plays",
        history=0,
        records=True,
        learns=learns,
    )


def _learned_controller(name: str, module: str, algorithm: str, config: str, text: str) -> AgentEntry:
    """A controller of traffic signals with a network, trained in packs."""
    made = f"mohs.agents.traffic.{module}"
    return replace(
        deep_agent(name, f"{made}:{algorithm}", f"{made}:{config}", text),
        pack_size="mohs.agents.traffic.packs:most_cells",
    )


ENTRIES = (
    tabular_agent("q_learning", "tabular Q-learning"),
    tabular_agent(
        "double_q_learning", "tabular double Q-learning: one table selects the action, the other evaluates it"
    ),
    tabular_agent("sarsa", "tabular SARSA, on-policy"),
    AgentEntry(
        "random",
        "random policy; learns nothing",
        maker="mohs.agents.random:make_random",
        learner="mohs.agents.tabular.learner:random_learner",
        pack_size="mohs.agents.tabular.learner:most_cells",
        observes="state",
        task_id=True,
    ),
    _deep("dqn", "dqn", "Dqn", "DqnConfig", "deep Q-learning; each component of Rainbow is a switch"),
    _deep("rainbow", "dqn", "Dqn", "RainbowConfig", "DQN with all six components of Rainbow"),
    _deep("a2c", "a2c", "a2c", "A2cConfig", "advantage actor-critic, the synchronous form of A3C"),
    _deep("ppo", "ppo", "ppo", "PpoConfig", "proximal policy optimisation"),
    _deep("ppg", "ppg", "Ppg", "PpgConfig", "phasic policy gradient: PPO with auxiliary phases"),
    _deep("trpo", "trpo", "trpo", "TrpoConfig", "trust region policy optimisation"),
    _recurrent("recurrent_dqn", "RecurrentDqn", "DQN with a recurrent layer (DRQN)"),
    _recurrent("recurrent_ppo", "RecurrentPpo", "PPO with a recurrent layer"),
    _deep("ddpg", "ddpg", "make_ddpg", "DdpgConfig", "deep deterministic policy gradients, for continuous actions"),
    _deep("td3", "td3", "make_td3", "Td3Config", "DDPG with twin critics, a delayed actor and smoothed targets"),
    _deep("sac", "sac", "make_sac", "SacConfig", "soft actor-critic, for continuous actions"),
    _evolution("ars", "ars", "ArsConfig", "augmented random search on a linear policy or a network"),
    _evolution("cem", "cem", "CemConfig", "cross-entropy method on a linear policy or a network"),
    _evolution(
        "hill_climbing",
        "hill_climbing",
        "HillClimbingConfig",
        "hill climbing on a linear policy or a network, with adaptive noise",
    ),
    _python("gorp", "greedy over random play: tries all sequences of k actions, each followed by random play"),
    _python("sqirl", "greedy over random play by regression on observations"),
    _controller("fixed", "mohs.agents.traffic.fixed:FixedConfig", "fixed plan of a traffic signal, tuned by playing"),
    _controller(
        "max_pressure",
        "mohs.agents.hyperparameters:Config",
        "traffic signal whose phase with most vehicles gets the green; learns nothing",
        learns=False,
    ),
    _learned_controller("idqn", "idqn", "idqn", "IdqnConfig", "deep Q-learning for a traffic signal, as in RESCO"),
    _learned_controller("ippo", "ippo", "SignalPpo", "IppoConfig", "PPO for a traffic signal, as in RESCO"),
    _learned_controller(
        "mplight",
        "mplight",
        "mplight",
        "MplightConfig",
        "Q-learning for a traffic signal by competition of phases (FRAP) on the pressure of movements",
    ),
    _learned_controller(
        "mplight_star",
        "mplight",
        "mplight_star",
        "MplightConfig",
        "MPLight that also sees who approaches, waiting times and speeds of each movement",
    ),
    replace(
        _controller(
            "actuated",
            "mohs.agents.traffic.actuated:ActuatedConfig",
            "SUMO's own control of a traffic signal, on traffic/sumo only; learns nothing",
            learns=False,
        ),
        check_plays="mohs.agents.traffic.actuated:check_plays",
        records=False,  # its actions are no numbers
    ),
    AgentEntry(
        "optimal",
        "optimal policy, computed from the exact table",
        learner="mohs.runs.oracle:optimal",
        check_sees="mohs.agents.planning.planner:check_sees",
        alone=True,
        observes="state",
        history=0,
    ),
    AgentEntry(
        "memoryless",
        "best policy that sees the current observation alone, computed from the exact table",
        learner="mohs.runs.oracle:memoryless",
        check_sees="mohs.agents.planning.planner:check_sees",
        alone=True,
        observes="state",
    ),
)


def _sb3(name: str) -> AgentEntry | None:
    """The entry of `sb3:NAME`."""
    from mohs.agents.sb3 import agent as sb3

    if not name.startswith(sb3.PREFIX):
        return None
    algorithm = sb3.algorithm_of(name)
    return AgentEntry(
        f"{sb3.PREFIX}{algorithm}",
        f"{algorithm} of {sb3.ALGORITHMS[algorithm].package}",
        maker="mohs.agents.sb3.agent:make_sb3",
        learner="mohs.agents.sb3.agent:learner",
        config=None,
        make="mohs.agents.sb3.agent:agent",
        describe="mohs.agents.sb3.agent:describe",
        check_plays="mohs.agents.sb3.agent:check_plays",
        alone=True,
        whole=True,
        history=0 if algorithm.startswith("Recurrent") else 1,
        records=True,
    )


def _sb3_names() -> list[str]:
    from mohs.agents.sb3 import agent as sb3

    return [f"{sb3.PREFIX}{algorithm}" for algorithm in sb3.ALGORITHMS]


def _custom(name: str) -> AgentEntry | None:
    """The entry of `file.py:name` or `module:name`, where `name` is a function that makes agents, or an entry."""
    if ":" not in name:
        return None
    try:
        found = attribute(name)
    except UsageError:  # raised again, with its reason, when the agent is made
        found = None
    if isinstance(found, AgentEntry):
        return replace(found, name=name, make="mohs.agents.external:custom_entry")
    return AgentEntry(
        name,
        "a custom agent",
        maker=name,
        learner="mohs.agents.external:custom",
        config=None,
        make="mohs.agents.external:custom_agent",
        check_plays="mohs.agents.external:check_makes",
        alone=True,
        whole=True,
        history=getattr(found, "history", 1),
        records=True,
    )


FINDERS = (AgentFinder("sb3:NAME", _sb3, _sb3_names), AgentFinder("file.py:function", _custom))
