"""What does a Procgen game look like to Gymnasium?

Procgen restarts by itself: the step that ends an episode already shows the next one, and which levels come is seeded
when the game is built. Here an episode begins with `reset`, and `reset(seed=)` builds the game anew.
"""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import numpy.typing as npt

from mohs.core.errors import UsageError
from mohs.core.seeding import child, seed_of
from mohs.envs.suites.procgen.colours import UNKNOWN, read, table
from mohs.envs.suites.procgen.copies import package
from mohs.envs.suites.procgen.library import library, painted_library, state_of
from mohs.envs.suites.procgen.state import ROLES, State, read_state, roles

# Procgen's names in CamelCase, as the paper writes them (Cobbe et al. 2020, Figure 1).
GAMES = (
    "BigFish", "BossFight", "CaveFlyer", "Chaser", "Climber", "CoinRun", "Dodgeball", "FruitBot", "Heist", "Jumper",
    "Leaper", "Maze", "Miner", "Ninja", "Plunder", "StarPilot",
)  # fmt: skip
_ACTIONS, _FORCE_RESET = 15, -1
# Games give up after so many steps (`timeout` in the sources of Procgen); the others after 1,000.
_TIME_OUT = {"bigfish": 6000, "bossfight": 4000, "leaper": 500, "maze": 500, "plunder": 4000}
_DEFAULT_TIME_OUT, _JUMPER_FROM_MEMORY = 1000, 2000

Image = npt.NDArray[np.uint8]


def register() -> None:
    """Makes Gymnasium know `procgen/<Game>`."""
    package()
    for game in GAMES:
        if f"procgen/{game}" not in gymnasium.registry:
            gymnasium.register(
                f"procgen/{game}", entry_point="mohs.envs.suites.procgen.env:ProcgenEnv", kwargs={"game": game.lower()}
            )


class ProcgenEnv(gymnasium.Env[Image, np.int64]):
    """One game. The last observation of an episode is the one before its end, because Procgen shows no other."""

    metadata = {"render_modes": ["rgb_array"], "render_fps": 15}  # noqa: RUF012 – as Gymnasium declares it

    def __init__(
        self,
        game: str,
        *,
        num_levels: int = 0,
        start_level: int = 0,
        distribution_mode: str = "hard",
        use_backgrounds: bool = True,
        center_agent: bool = True,
        use_sequential_levels: bool = False,
        use_monochrome_assets: bool = False,
        use_generated_assets: bool = False,
        restrict_themes: bool = False,
        paint_vel_info: bool = False,
        render_mode: str | None = None,
    ) -> None:
        self._options: dict[str, Any] = {
            "env_name": game,
            "num_levels": num_levels,
            "start_level": start_level,
            "distribution_mode": distribution_mode,
            "use_backgrounds": use_backgrounds,
            "center_agent": center_agent,
            "use_sequential_levels": use_sequential_levels,
            "use_monochrome_assets": use_monochrome_assets,
            "use_generated_assets": use_generated_assets,
            "restrict_themes": restrict_themes,
            "paint_vel_info": paint_vel_info,
            "render_mode": render_mode,
        }
        _check(self._options)
        self.painted = False
        self.render_mode = render_mode
        self.observation_space = gymnasium.spaces.Box(0, 255, (64, 64, 3), np.uint8)
        self.action_space = gymnasium.spaces.Discrete(_ACTIONS)
        self._time_out = _TIME_OUT.get(game, _DEFAULT_TIME_OUT)
        if (game, distribution_mode) == ("jumper", "memory"):
            self._time_out = _JUMPER_FROM_MEMORY
        # The steps of an episode at most, as MiniGrid calls them: a level's, unless levels follow each other.
        self.max_steps = None if use_sequential_levels else self._time_out
        self._game: Any = None
        self._seen: Image = np.zeros((64, 64, 3), np.uint8)
        self._steps = 0  # in this level
        self._begun = False  # the game has already begun the next episode by itself
        self._roles: tuple[tuple[str, str], ...] = ()  # of sprites in this level

    @property
    def game(self) -> str:
        name: str = self._options["env_name"]
        return name

    @property
    def seen(self) -> Image:
        """What was observed last."""
        return self._seen

    def paint(self) -> None:
        """From now on the game is drawn in the colours of classes; nothing else about it changes.

        Raises:
            UsageError: It draws something itself that has no class, or the painted library cannot be made.
        """
        for option in ("use_monochrome_assets", "use_generated_assets", "paint_vel_info"):
            if self._options[option]:
                raise UsageError(f"{option} changes what is drawn: it goes with view='pixels' only.")
        painted_library(self.game)
        self.close()
        self.painted, self._options["use_backgrounds"] = True, False

    def ids(self) -> Image:
        """The ids [64, 64] of the classes of what was observed last, where the game is painted."""
        found: Image = read(self._seen[None], table(self.game, self._roles))[0]
        return found

    def state(self) -> State:
        """The state of the game: at the end of an episode, of the next one."""
        return read_state(state_of(self._game))

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Image, dict[str, Any]]:
        if seed is not None or self._game is None:
            super().reset(seed=seed)
            _ = self.np_random  # Gymnasium chooses a seed where none was ever given
            self.close()
            self._game = self._built()
        elif not self._begun:
            self._game.act(np.array([_FORCE_RESET]))
        self._begun, self._steps = False, 0
        self._seen = self._observe()[1]
        self._begin_level()
        return self._seen, {"level_seed": int(self._game.get_info()[0]["level_seed"])}

    def _built(self) -> Any:
        assert self.np_random_seed is not None
        levels = seed_of(child(self.np_random_seed, "levels"))
        module = painted_library(self.game) if self.painted else library()
        game = module.ProcgenGym3Env(num=1, num_threads=0, rand_seed=levels, **_given(self._options))
        # cffi looks a function up once, under a lock that is also held while a library is loaded. A game that is
        # garbage may be closed just then, for which this one must have been looked up.
        _ = game._c_lib.libenv_close
        return game

    def step(self, action: Any) -> tuple[Image, float, bool, bool, dict[str, Any]]:
        if self._game is None or self._begun:
            raise gymnasium.error.ResetNeeded("call reset() before step().")
        if not self.action_space.contains(action):
            raise UsageError(f"the action is {action!r}, but must be an integer from 0 to {_ACTIONS - 1}.")
        self._game.act(np.array([action]))
        reward, seen, over = self._observe()
        about = self._game.get_info()[0]
        info = {"level_seed": int(about["prev_level_seed"]), "level_complete": bool(about["prev_level_complete"])}
        self._steps += 1
        late = over and not info["level_complete"] and self._steps >= self._time_out
        if info["level_complete"]:
            self._steps = 0
        self._begun = over
        if not over:
            self._seen = seen
            if info["level_complete"]:  # levels follow each other in one episode
                self._begin_level()
        return self._seen, reward, over and not late, late, info

    def _begin_level(self) -> None:
        """What the sprites of a level stand for, if the game is painted."""
        if not self.painted:
            return
        self._roles = tuple(sorted(roles(self.game, self.state()).items())) if self.game in ROLES else ()
        if (self.ids() == UNKNOWN).any():
            raise UsageError(f"views do not work with this build of Procgen: {self.game} shows unknown colours.")

    def _observe(self) -> tuple[float, Image, bool]:
        reward, seen, first = self._game.observe()
        return float(reward[0]), seen["rgb"][0].copy(), bool(first[0])

    def render(self) -> Image | None:
        """The picture that the game draws for people, 512 × 512; of the next episode after the end of one."""
        if self._game is None:
            raise gymnasium.error.ResetNeeded("call reset() before render().")
        if self.render_mode is None:
            gymnasium.logger.warn("render() was called without a render_mode; make the environment with 'rgb_array'.")
            return None
        picture: Image = self._game.get_info()[0]["rgb"].copy()
        return picture

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_game": None if self._game is None else self._game.get_state()}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        if self._game is not None:
            kept, self._game = self._game, self._built()
            self._game.set_state(kept)

    def close(self) -> None:
        if self._game is not None:
            self._game.close()
            self._game = None


def _check(options: dict[str, Any]) -> None:
    """What Procgen would end the process for, or refuse without a sentence, is refused here."""
    game, mode = options["env_name"], options["distribution_mode"]
    module = library()
    allowed = {
        "easy": module.ENV_NAMES,
        "hard": module.ENV_NAMES,
        "extreme": ["chaser", "dodgeball", "leaper", "starpilot"],
        "memory": ["caveflyer", "dodgeball", "heist", "jumper", "maze", "miner"],
        "exploration": list(module.EXPLORATION_LEVEL_SEEDS),
    }
    if game not in allowed.get(mode, ()):
        modes = ", ".join(name for name, games in allowed.items() if game in games)
        raise UsageError(f"distribution_mode is {mode!r}, but of {game} there is {modes}.")
    if mode == "exploration" and (options["num_levels"], options["start_level"]) != (0, 0):
        raise UsageError("exploration is one level, so it takes neither num_levels nor start_level.")


def _given(options: dict[str, Any]) -> dict[str, Any]:
    """Without the levels where the mode sets them: Procgen refuses even its own defaults then."""
    if options["distribution_mode"] != "exploration":
        return options
    return {name: value for name, value in options.items() if name not in ("num_levels", "start_level")}
