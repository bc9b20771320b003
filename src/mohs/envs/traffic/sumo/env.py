"""How does Gymnasium play a traffic signal in SUMO? As the compiled one: phases, observations, rewards and metrics.

`info["metrics"]` of the step that ends an episode holds those of `traffic/intersection`, and `co2` and `fuel` in g for
each vehicle that entered.
"""

from __future__ import annotations

from operator import index
from typing import Any

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium import spaces

from mohs.core.errors import UsageError
from mohs.core.task import Task
from mohs.engines.traffic.law import CARS, CLIP, TOP_SPEED, WAITING
from mohs.engines.traffic.measures import RANGE
from mohs.engines.traffic.signal import Signal
from mohs.envs.fleets import Info, check_options, stream_key
from mohs.envs.render.show import checked_mode
from mohs.envs.traffic.sumo.package import check_installed
from mohs.envs.traffic.sumo.programs import PROGRAMS, program
from mohs.envs.traffic.sumo.scene import NET_FILE, Scene, scene
from mohs.envs.traffic.sumo.states import change, share
from mohs.envs.traffic.sumo.trips import metrics, trips
from mohs.envs.traffic.sumo.workers import Run

ENVIRONMENT = "traffic/sumo"
ARGUMENTS = (
    "--tripinfo-output.write-unfinished", "--tripinfo-output.write-undeparted", "--device.emissions.probability", "1",
    "--precision", "6",  # of what is said of lost time
    "--time-to-teleport", "-1",  # no vehicle vanishes
    "--eager-insert",  # one that cannot enter does not keep others from it
    "--waiting-time-memory", "100000", "--no-step-log", "--no-warnings", "--duration-log.disable",
    "--xml-validation", "never", "--xml-validation.net", "never",
)  # fmt: skip


class SumoEnv(gymnasium.Env[npt.NDArray[np.float32], Any]):
    """One signal in SUMO. An action is the phase that has a green until the next decision.

    The name of one of SUMO's own logics ("actuated", "delay_based") as the action leaves the signal to it until the
    next decision. The episode under way is kept as its actions: a copy plays them again before its next step.
    """

    metadata = {"render_modes": ["ansi"], "render_fps": 1}  # noqa: RUF012 – as Gymnasium has it

    def __init__(
        self, *, seed: int = 0, source: Task | None = None, render_mode: str | None = None, **params: Any
    ) -> None:
        self.task = Task.make(ENVIRONMENT, seed=seed, **params) if source is None else source
        self.render_mode = checked_mode(render_mode, self.metadata)
        check_installed()
        self._bind()
        signal, most = self.signal, np.finfo(np.float32).max
        low = np.zeros((len(signal.permits), len(signal.features)), np.float32)
        if self._exits and "pressure" in signal.features:  # there may be more vehicles behind the junction
            low[:, signal.features.index("pressure")] = -most
        self.observation_space = spaces.Box(low.ravel(), np.full(low.size, most, np.float32), dtype=np.float32)
        self.action_space = spaces.Discrete(len(signal.greens))
        self._key, self._episode = 0, -1
        self._actions: list[int | str] | None = None  # of the episode under way
        self._shown = ""  # what "ansi" shows

    def _bind(self) -> None:
        """Sets what a copy does not carry: what is known of the scene, and the simulation, which is played again."""
        self._scene: Scene = scene(self.task)
        self._run: Run | None = None
        net, self._exits = self._scene.net, self._scene.exits()
        self._of_lanes = self._scene.incidence(0, net.lanes)
        self._of_links = self._scene.incidence(1, range(len(net.phases[0]))) > 0
        self._of_exits = self._scene.incidence(2, self._exits)

    @property
    def signal(self) -> Signal:
        """What the numbers of an observation mean, and what each phase serves."""
        return self._scene.signal

    def set_limit(self, steps: int) -> None:
        """Sets after how many decisions an episode is truncated."""
        self.task = self.task.replace(max_episode_steps=steps)

    def reset(self, *, seed: int | None = None, options: Info | None = None) -> tuple[npt.NDArray[np.float32], Info]:
        check_options(options, ())
        if seed is not None or self._episode < 0:
            super().reset(seed=seed)
            _ = self.np_random  # Gymnasium chooses a seed where none was ever given
            assert self.np_random_seed is not None
            self._key, self._episode = stream_key(self.np_random_seed), -1
        self._episode += 1
        self._actions = []
        self._begin()
        return self._observed(), {}

    def step(self, action: Any) -> tuple[npt.NDArray[np.float32], float, bool, bool, Info]:
        if self._actions is None:
            raise gymnasium.error.ResetNeeded("call reset() before step(), and after the end of an episode.")
        chosen = self._read(action)
        self._resume()
        reward = self._play(chosen)
        observation = self._observed()
        if len(self._actions) < self.task["max_episode_steps"]:
            return observation, reward, False, False, {}
        return observation, reward, False, True, {"metrics": self._concluded()}

    def render(self) -> Any:
        """The state of the signal and the vehicles that queue, as text."""
        if not self._shown:
            raise gymnasium.error.ResetNeeded("call reset() before render().")
        if self.render_mode is None:
            gymnasium.logger.warn("render() was called without a render_mode; make the environment with one.")
            return None
        return self._shown

    def close(self) -> None:
        if self._run is not None:
            self._run.close()
            self._run = None

    def __getstate__(self) -> dict[str, Any]:
        anew = ("_scene", "_run", "_exits", "_of_lanes", "_of_links", "_of_exits")
        return {name: value for name, value in self.__dict__.items() if name not in anew}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._bind()

    def _read(self, action: Any) -> int | str:
        """An action: a phase, or the name of one of SUMO's logics."""
        if isinstance(action, str) and action in PROGRAMS:
            return action
        try:
            chosen = index(action)
        except TypeError:
            chosen = -1
        phases = len(self._scene.net.phases)
        if not 0 <= chosen < phases:
            logics = ", ".join(PROGRAMS)
            raise UsageError(f"the action is {action!r}, but must be an integer from 0 to {phases - 1}, or {logics}.")
        return chosen

    def _begin(self) -> None:
        """Starts the simulation of this episode."""
        self.close()
        task, found = self.task, self._scene
        files, self._vehicles = found.vehicles(self._key, self._episode, task["max_episode_steps"])
        seed = int(np.random.SeedSequence([self._key, self._episode]).generate_state(1)[0] >> 1)
        arguments = [
            "--net-file", NET_FILE, "--route-files", ",".join(files), "--begin", str(task["begin"]),
            "--seed", str(seed), "--step-length", str(found.step), *ARGUMENTS,
        ]  # fmt: skip
        order = {
            "files": {**found.files, **files},
            "arguments": arguments,
            "tls": found.net.tls,
            "lanes": found.net.lanes,
            "exits": self._exits,
            "range": RANGE,
            "late": task["reward"] == "delay",
            "state": found.net.phases[0],
            "phases": program(found.net.phases, task["yellow"], task["all_red"], found.keep),
        }
        self._run = Run(order, found.what)
        self._queued, self._late = 0.0, 0.0

    def _resume(self) -> None:
        """Plays the actions of the episode under way again where its simulation is not this process's."""
        if self._run is not None and self._run.usable:
            return
        done, self._actions = self._actions or [], []
        self._begin()
        for action in done:
            self._play(action)

    def _play(self, action: int | str) -> float:
        """One decision, and what it pays."""
        assert self._run is not None
        assert self._actions is not None
        task, net = self.task, self._scene.net
        start = len(self._actions) * task["decision"]
        until = start + task["decision"]
        if isinstance(action, str):
            seen = self._run.hand_over(action, PROGRAMS[action], until)
        else:
            now, then = self._run.seen["state"], net.phases[action]
            plan = [(then, until)]
            if now != then:
                yellow, red = change(now, then, self._scene.keep)
                over = start + task["yellow"]
                plan = [(yellow, over), (red, over + task["all_red"]), *plan]
            seen = self._run.show(plan)
        self._actions.append(action)
        self._queued += seen["queue"]
        before, self._late = self._late, seen["late"]
        approaching, wait, queue, _ = np.sum(seen["lanes"], axis=0)
        rewards = {
            "wait": -min(wait / WAITING, CLIP),
            "queue": -queue,
            "pressure": -(queue + approaching - sum(seen["exits"])),
            "delay": (before - self._late) / max(self._vehicles, 1),
        }
        return float(rewards[task["reward"]]) + 0.0  # 0 has no sign

    def _observed(self) -> npt.NDArray[np.float32]:
        """The numbers of all slots."""
        assert self._run is not None
        assert self._actions is not None
        seen = self._run.seen
        step = f"step {len(self._actions)}: signal {seen['state']}"
        self._shown = f"{step}, {seen['queue']} vehicles queue or wait to enter"
        approaching, wait, queue, speeds = (self._of_lanes @ np.array(seen["lanes"])).T / CARS
        exits = self._of_exits @ np.array(seen["exits"], dtype=np.float64) / CARS
        letters = np.array([share(letter) for letter in seen["state"]])
        numbers = {
            "green": np.where(self._of_links, letters, 0.0).max(axis=1),
            "approaching": approaching,
            "wait": wait,
            "queue": queue,
            "speed": speeds / TOP_SPEED,
            "pressure": queue + approaching - exits,
        }
        return np.stack([numbers[name] for name in self.signal.features], axis=1, dtype=np.float32).ravel()

    def _concluded(self) -> dict[str, float]:
        """Ends the episode; its metrics."""
        assert self._run is not None
        assert self._actions is not None
        data, before = self._run.finish(list(self._scene.net.incoming))
        mean = self._queued / len(self._actions)
        self._run, self._actions = None, None
        return metrics(trips(data), before if self._scene.crossing else None, mean)
