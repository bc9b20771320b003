"""How is an Atari game played? As in the papers: frames skipped, pooled, shrunk, in grey, and stacked."""

from __future__ import annotations

from typing import Any

import gymnasium
from gymnasium.wrappers import AtariPreprocessing, FrameStackObservation

# Half an hour of 60 frames a second, four of which are one step (Machado et al. 2018, section 3).
MAX_EPISODE_STEPS = 27_000


def register() -> None:
    """Makes Gymnasium know `atari/<Game>` beside each `ALE/<Game>-v5`."""
    import ale_py  # registers the ids of ALE

    ale_py.ALEInterface.setLoggerMode(ale_py.LoggerMode.Warning)  # no greeting for every environment
    games = {name: spec.kwargs["game"] for name, spec in gymnasium.registry.items() if name.startswith("ALE/")}
    for name, rom in games.items():
        ours = name.replace("ALE/", "atari/").removesuffix("-v5")
        if ours not in gymnasium.registry:
            gymnasium.register(
                ours,
                entry_point="mohs.envs.suites.atari:game_of",
                max_episode_steps=MAX_EPISODE_STEPS,
                kwargs={"game": rom},
            )


def game_of(
    *,
    game: str,
    noop_max: int = 30,
    frame_skip: int = 4,
    screen_size: int = 84,
    grayscale: bool = True,
    terminal_on_life_loss: bool = False,
    repeat_action_probability: float = 0.0,
    full_action_space: bool = False,
    mode: int | None = None,
    difficulty: int | None = None,
    render_mode: str | None = None,
) -> gymnasium.Env[Any, Any]:
    """A game of the Arcade Learning Environment, preprocessed by Gymnasium's own wrapper.

    Nothing is left to chance after the start unless asked for, so that noise is a dial: ALE/<Game>-v5 repeats actions
    with probability 1/4.
    """
    from ale_py import AtariEnv

    env = AtariEnv(
        game,
        mode=mode,
        difficulty=difficulty,
        frameskip=1,  # the preprocessing skips
        repeat_action_probability=repeat_action_probability,
        full_action_space=full_action_space,
        render_mode=render_mode,
    )
    return AtariPreprocessing(
        env,
        noop_max=noop_max,
        frame_skip=frame_skip,
        screen_size=screen_size,
        terminal_on_life_loss=terminal_on_life_loss,
        grayscale_obs=grayscale,
    )


def stacked(env: gymnasium.Env[Any, Any], *, frame_stack: int) -> gymnasium.Env[Any, Any]:
    """What is seen at once. The stack is a memory, so it lies above the dials: a frame is changed once, then kept."""
    return env if frame_stack == 1 else FrameStackObservation(env, frame_stack)
