"""How does an algorithm of stable-baselines3 or sb3-contrib become an agent? By its name: `sb3:PPO`.

It trains in one call for all steps of the run, as it would by itself, and is only paused for evaluations. It ends with
the budget: a rollout that is not complete by then is not learnt from. The libraries draw from the global generators of
random, NumPy and torch; an agent puts states of its own in their place while it trains or plays, and the others back,
so that neither evaluations nor neighbours change what it does.
"""

from __future__ import annotations

import contextlib
import inspect
import random
import re
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module, metadata
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces

from mohs.agents.episodes import action_count, action_of
from mohs.agents.external import Recorder, SideBySide, side_by_side
from mohs.agents.sb3.paused import Gate, Loop
from mohs.agents.sb3.values import as_text, domain_of, read_as
from mohs.core import seeding
from mohs.core.cell import Agent, Cell
from mohs.core.errors import MohsError, UsageError, unknown
from mohs.core.task import Task
from mohs.envs.make import make

PREFIX = "sb3:"
INSTALL = 'pip install -c constraints.txt -e ".[sb3]"'
OURS = ("policy", "env", "seed", "_init_setup_model")  # not the user's to set


@dataclass(frozen=True)
class Algorithm:
    """The package of an algorithm, the actions it can play, and whether it learns from whole rollouts."""

    package: str
    plays: tuple[type[spaces.Space[Any]], ...]
    rollouts: bool = False


SB3, CONTRIB = "stable-baselines3", "sb3-contrib"
CHOICES, RANGES = (spaces.Discrete,), (spaces.Box,)
ALL = (spaces.Box, spaces.Discrete, spaces.MultiDiscrete, spaces.MultiBinary)
ALGORITHMS = {
    "A2C": Algorithm(SB3, ALL, rollouts=True),
    "ARS": Algorithm(CONTRIB, (spaces.Box, spaces.Discrete)),
    "DDPG": Algorithm(SB3, RANGES),
    "DQN": Algorithm(SB3, CHOICES),
    "PPO": Algorithm(SB3, ALL, rollouts=True),
    "QRDQN": Algorithm(CONTRIB, CHOICES),
    "RecurrentPPO": Algorithm(CONTRIB, ALL, rollouts=True),
    "SAC": Algorithm(SB3, RANGES),
    "TD3": Algorithm(SB3, RANGES),
    "TRPO": Algorithm(CONTRIB, ALL, rollouts=True),
}
SPELLINGS = {"QR-DQN": "QRDQN", "PPO-LSTM": "RecurrentPPO", "PPO_LSTM": "RecurrentPPO"}


def agent(name: str, **params: Any) -> Agent:
    """`sb3:NAME` with hyperparameters, checked. Another version of the library is another agent."""
    algorithm = algorithm_of(name)
    known = _hyperparameters(algorithm)
    for parameter, value in params.items():
        if parameter not in known:
            raise unknown(f"hyperparameter of {PREFIX}{algorithm}", parameter, known)
        read_as(known[parameter], value, f"{PREFIX}{algorithm}")
    kept = {k: as_text(k, v) if isinstance(v, Mapping) else v for k, v in params.items()}
    return Agent.make(f"{PREFIX}{algorithm}", version(algorithm), **kept)


def algorithm_of(name: str) -> str:
    """The algorithm that `sb3:NAME` stands for."""
    short = name.removeprefix(PREFIX)
    found = SPELLINGS.get(short, short)
    if found not in ALGORITHMS:
        raise unknown("algorithm of stable-baselines3", short, ALGORITHMS)
    return found


def version(algorithm: str) -> str:
    package = ALGORITHMS[algorithm].package
    return f"{package} {metadata.version(package)}"


def describe(name: str) -> dict[str, Any]:
    """An agent for people: the keywords of its constructor, with their defaults and what is allowed."""
    algorithm = algorithm_of(name)
    settings = {}
    for key, parameter in _hyperparameters(algorithm).items():
        domain, default = domain_of(parameter), "cpu" if key == "device" else parameter.default
        written = re.sub(r"[\w.]+\.", "", inspect.formatannotation(parameter.annotation))  # without modules
        settings[key] = {"default": default, "allowed": domain.describe() if domain else written, "text": ""}
    text = f"{algorithm} of {ALGORITHMS[algorithm].package}"
    return {"name": f"{PREFIX}{algorithm}", "text": text, "hyperparameters": settings, "presets": {}}


def learner(cells: Sequence[Cell], device: str = "cpu") -> SideBySide:
    """The learner of a pack of models."""
    check_version(cells[0].agent)
    return side_by_side(cells, algorithm=algorithm_of(cells[0].agent.name))


def check_plays(agent: Agent, task: Task, steps: int | None = None) -> None:
    """Raises where no model can be built for a task, or where a run is shorter than one rollout."""
    env = make(task)
    check_builds(agent, env)
    if steps is not None:
        check_length(algorithm_of(agent.name), steps, dict(agent.params))
    env.close()


def check_version(agent: Agent) -> None:
    """Raises where an agent was planned with another version of its library."""
    here = version(algorithm_of(agent.name))
    if agent.source != here:
        raise UsageError(f"{agent.name} was planned with {agent.source}, but here is {here}; start it again.")


def check_builds(agent: Agent, env: gymnasium.Env[Any, Any]) -> None:
    """Raises where no model can be built for an environment. One is tried, with a replay buffer of one step."""
    check_actions(agent, env.action_space)
    algorithm = algorithm_of(agent.name)
    seen = _seen(algorithm, env)
    try:
        with warnings.catch_warnings(action="ignore"), Randomness(0, seen.action_space):  # the run warns again
            _model(algorithm, seen, 0, dict(agent.params), buffer=1)
    except UsageError:
        raise
    except Exception as error:
        cause = " ".join(str(error).split()).rstrip(".") or type(error).__name__
        raise UsageError(f"{agent} cannot be built: {cause}.") from error


def check_actions(agent: Agent, space: spaces.Space[Any]) -> None:
    """Raises where an algorithm cannot play actions of a space."""
    algorithm = algorithm_of(agent.name)
    if isinstance(space, spaces.MultiDiscrete) and spaces.Discrete in ALGORITHMS[algorithm].plays:
        return
    if not isinstance(space, ALGORITHMS[algorithm].plays):
        words = " or ".join(kind.__name__ for kind in ALGORITHMS[algorithm].plays)
        raise UsageError(f"{agent.name} plays actions that are {words}, but the action space is {space}.")


def check_length(algorithm: str, steps: int, params: Mapping[str, Any]) -> None:
    """Raises where a run is shorter than one rollout."""
    if not ALGORITHMS[algorithm].rollouts:
        return
    known = _hyperparameters(algorithm)["n_steps"]
    rollout = read_as(known, params.get("n_steps", known.default), f"{PREFIX}{algorithm}")
    if rollout > steps:
        raise UsageError(
            f"a rollout of {PREFIX}{algorithm} has n_steps={rollout} steps, but the run only {steps}: it would never "
            "learn; set n_steps lower."
        )


def make_sb3(env: Recorder, seed: int, algorithm: str, **params: Any) -> Sb3Agent:
    return Sb3Agent(env, seed, algorithm, params)


class Sb3Agent:
    """A model that is trained in one go with pauses. It cannot be saved: its loop may be inside a rollout."""

    def __init__(self, env: Recorder, seed: int, algorithm: str, params: Mapping[str, Any]) -> None:
        check_actions(Agent.make(PREFIX + algorithm), env.action_space)
        check_length(algorithm, env.windows.total, params)
        self._algorithm, self._env, self._space = algorithm, env, env.action_space
        seen = _seen(algorithm, env)
        self._training = Randomness(seed, seen.action_space)
        self._playing = Randomness(seeding.seed_of(seeding.child(seed, "act")), seen.action_space)
        with self._training:
            self._model = _model(algorithm, seen, seed, params, buffer=env.windows.total)
        self._loop = Loop(_learning(algorithm, self._model, env))

    def __del__(self) -> None:
        if hasattr(self, "_loop"):
            self._loop.cancel(wait=False)  # at the end of the process nobody would answer

    def train(self, env: Recorder, steps: int) -> None:
        if env is not self._env:  # another segment: what was under way in the last one is over
            self._loop.cancel()
            self._env, self._loop = env, Loop(_learning(self._algorithm, self._model, env))
        with self._training:
            self._loop.resume()
        if not all(bool(p.isfinite().all()) for p in self._model.policy.parameters()):
            raise MohsError(f"{PREFIX}{self._algorithm} diverged: the weights of its network are not finite.")

    def act(self, observation: Any, memory: Any, deterministic: bool) -> tuple[Any, Any]:
        # Only recurrent policies look at the memory.
        now = {"state": memory, "episode_start": np.array([memory is None]), "deterministic": deterministic}
        with _one_thread(), contextlib.nullcontext() if deterministic else self._playing:
            action, memory = self._model.predict(observation, **now)
        if isinstance(self._model.action_space, spaces.Discrete):
            return action_of(self._space, int(action)), memory
        return action, memory


class JointActions(gymnasium.ActionWrapper[Any, Any, Any]):
    """Several choices at once as one of their combinations, for algorithms that know a single choice only."""

    def __init__(self, env: gymnasium.Env[Any, Any]) -> None:
        super().__init__(env)
        self.action_space = spaces.Discrete(action_count(env.action_space))

    def action(self, action: Any) -> Any:
        return action_of(self.env.action_space, int(action))


class Randomness:
    """A state of the global generators and of a space that is the agent's own, in place while `with` lasts."""

    def __init__(self, seed: int, space: spaces.Space[Any]) -> None:
        self._space, self._others = space, _states(space)
        random.seed(seed)
        np.random.seed(seed)
        _torch().manual_seed(seed)
        space.seed(seed)
        self._mine = _states(space)
        _restore(space, self._others)

    def __enter__(self) -> None:
        self._others = _states(self._space)
        _restore(self._space, self._mine)

    def __exit__(self, *_: object) -> None:
        self._mine = _states(self._space)
        _restore(self._space, self._others)


def _states(space: spaces.Space[Any]) -> tuple[Any, ...]:
    return random.getstate(), np.random.get_state(), _torch().get_rng_state(), space.np_random.bit_generator.state


def _restore(space: spaces.Space[Any], states: tuple[Any, ...]) -> None:
    random.setstate(states[0])
    np.random.set_state(states[1])
    _torch().set_rng_state(states[2])
    space.np_random.bit_generator.state = states[3]


def _learning(algorithm: str, model: Any, env: Recorder) -> Callable[[Loop], None]:
    """The training of a model from here to the end of the run. Holds no agent, so that agents can be forgotten."""
    left = env.windows.total - env.windows.step

    def learn(loop: Loop) -> None:
        with _one_thread():
            model.set_env(Gate(_seen(algorithm, env), env, loop))
            model.learn(left, reset_num_timesteps=False)

    return learn


def _model(algorithm: str, seen: gymnasium.Env[Any, Any], seed: int, params: Mapping[str, Any], buffer: int) -> Any:
    """A model of an algorithm, with a replay buffer of at most that many steps."""
    given = _given(algorithm, seen.action_space, params, buffer)
    with _one_thread():
        return _class(algorithm)(_policy(algorithm, seen.observation_space), seen, seed=seed, **given)


def _seen(algorithm: str, env: gymnasium.Env[Any, Any]) -> gymnasium.Env[Any, Any]:
    """The environment with actions that an algorithm can play."""
    return env if isinstance(env.action_space, ALGORITHMS[algorithm].plays) else JointActions(env)


def _policy(algorithm: str, space: spaces.Space[Any]) -> str:
    """The kind of network for observations of a space; ARS has no convolutional one."""
    is_image = import_module("stable_baselines3.common.preprocessing").is_image_space
    kind = "MultiInput" if isinstance(space, spaces.Dict) else "Cnn" if is_image(space) else "Mlp"
    if algorithm == "ARS":
        kind = "Mlp"
    return f"{kind}LstmPolicy" if algorithm == "RecurrentPPO" else f"{kind}Policy"


def _given(algorithm: str, actions: spaces.Space[Any], params: Mapping[str, Any], buffer: int) -> dict[str, Any]:
    """Hyperparameters as the constructor takes them."""
    known = _hyperparameters(algorithm)
    given = {name: read_as(known[name], value, f"{PREFIX}{algorithm}") for name, value in params.items()}
    given.setdefault("device", "cpu")  # whose generators `Randomness` keeps apart
    if "buffer_size" in known:  # a larger one would never be filled
        given["buffer_size"] = max(1, min(given.get("buffer_size", known["buffer_size"].default), buffer))
    if isinstance(given.get("action_noise"), int | float):
        noise = import_module("stable_baselines3.common.noise").NormalActionNoise
        assert isinstance(actions, spaces.Box)
        given["action_noise"] = noise(np.zeros(actions.shape), np.full(actions.shape, given["action_noise"]))
    return given


def _hyperparameters(algorithm: str) -> dict[str, inspect.Parameter]:
    """The keywords of the constructor that users may set."""
    found = inspect.signature(_class(algorithm), eval_str=True).parameters
    return {name: parameter for name, parameter in found.items() if name not in OURS}


def _class(algorithm: str) -> Any:
    package = ALGORITHMS[algorithm].package
    try:
        return getattr(import_module(package.replace("-", "_")), algorithm)
    except ImportError as error:
        raise UsageError(f"{PREFIX}{algorithm} needs {package}: install it with {INSTALL}.") from error


def _torch() -> Any:
    return import_module("torch")


def _one_thread() -> contextlib.AbstractContextManager[None]:
    from mohs.agents.deep.threads import one_thread

    return one_thread()
