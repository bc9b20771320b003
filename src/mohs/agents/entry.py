"""What is known of an agent? One record of plain data.

An entry names its realisations as `module:attribute`, so that registering an agent imports neither numba nor torch.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Literal

from mohs.core.errors import UsageError
from mohs.core.values import resolve


@dataclass(frozen=True)
class AgentEntry:
    """One agent.

    A minimal entry has a name, a text and a `maker`: a function `make_agent(env, seed, **hyperparameters)` that returns
    an object with `train(env, steps)` and `act(observation, memory, deterministic)`.

    Attributes:
        name: What users call the agent. It must not contain a colon.
        text: One sentence for people.
        maker: What `learner` makes the agents of a pack from. The default learner takes the function above.
        learner: `cells, device -> Learner`, which trains a pack.
        config: The class of its hyperparameters, a `Config`. None: `make` checks them.
        version: Part of the agent's identity. Runs of another version are runs of another agent.
        make: `name, **hyperparameters -> Agent`, checked. None: checked by `config`.
        describe: `name -> dict` of text, hyperparameters and presets. None: derived from `config`.
        check_sees: `agent, source -> None`. Raises where the agent cannot use the observations of a source.
        check_plays: `agent, task, steps -> None`. Raises where the agent cannot play a task, or learn it in that many
            steps (None: any number). It may construct the environment.
        alone: Each cell runs by itself, not in a pack.
        whole: `train` is called once from one evaluation to the next, never for fewer steps.
        pack_size: `cell -> int`, the most cells like this one in a pack. None: no limit.
        batched: A pack of few cells takes nearly as long as one of many, so packs should be large.
        observes: What it should observe of a numbered state: its number, the codes on its cells, or one-hot bits.
        task_id: Whether the task id can be part of its observation.
        lifelong: Whether it has the hyperparameter `lifelong`: methods for a change of the task.
        history: The number of latest observations that it acts on, as a number or as the name of the hyperparameter
            that sets it. 0: all of them, because it is recurrent or plans ahead.
        records: Whether its learner is a `Recorder`, so that reports can show an episode of it.
        learns: Whether training changes it. `mohs family` evaluates others without training.
        eager: `agent, steps -> Agent`, the agent with a first update after that many steps, for trials of the cost.

    Example:
        >>> import mohs
        >>> mohs.AgentEntry("my_agent", "my first agent", maker="my_package:make_agent").alone
        False
    """

    name: str
    text: str
    maker: str | None = None
    learner: str = "mohs.agents.external:side_by_side"
    config: str | None = "mohs.agents.hyperparameters:Config"
    version: str = ""
    make: str | None = None
    describe: str | None = None
    check_sees: str | None = None
    check_plays: str | None = None
    alone: bool = False
    whole: bool = False
    pack_size: str | None = None
    batched: bool = False
    observes: Literal["state", "cells", "flat"] = "flat"
    task_id: bool = False
    lifelong: bool = False
    history: int | str = 1
    records: bool = False
    learns: bool = True
    eager: str | None = None

    def realisation(self, name: str) -> Callable[..., Any]:
        """What the field of this name refers to, imported.

        Args:
            name: A field that names a `module:attribute`, such as `learner`.

        Returns:
            The function or class.

        Raises:
            UsageError: The agent has none.

        Example:
            >>> from mohs.agents.registry import agent_entry
            >>> agent_entry("q_learning").realisation("config").__name__.endswith("Config")
            True
        """
        target = getattr(self, name)
        if target is None:
            raise UsageError(f"{self.name} has no {name}.")
        return resolve(target)


@dataclass(frozen=True)
class AgentFinder:
    """Makes entries for a form of names that are too many to be registered, such as `sb3:NAME`.

    `find` returns the entry of a name, or None; `names` lists those that can be listed.
    """

    form: str
    find: Callable[[str], AgentEntry | None]
    names: Callable[[], Iterable[str]] = tuple
