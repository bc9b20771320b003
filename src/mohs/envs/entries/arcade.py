"""What is registered of the arcade? One entry for each game: they differ in rules, classes and sub-goals."""

from __future__ import annotations

from mohs.core.domain import Flag, Integer, Real
from mohs.core.registry import Environment, Parameter
from mohs.core.views import VIEW_PARAMETERS
from mohs.envs.entries.common import dial_parameters, max_episode_steps

_LEVELS = {
    "num_levels": Parameter(Integer(0, 2**30), 0, "How many levels episodes are drawn from; 0: all."),
    "start_level": Parameter(
        Integer(0, 2**31 - 1),
        0,
        "The first level. A level's number decides its layout, its theme and all chance in it.",
    ),
}
_SEEN = {
    "texture": Parameter(Real(0, 1), 0.0, "The share of random colour in every pixel of the ground; less on things."),
    "clutter": Parameter(Real(0, 1), 0.0, "The share of empty cells that show something without meaning."),
    "shared_colours": Parameter(
        Flag(), False, "All classes have the same two colours and differ in their pattern only."
    ),
    "themes": Parameter(Integer(1, 64), 1, "The number of palettes among the levels."),
    "theme_shift": Parameter(Flag(), False, "Held-out levels have other palettes than levels for training."),
}
_LEARNT = {
    "pay_every": Parameter(
        Integer(0), 1, "What was earned is paid every so many steps and at the end of the episode; 0: only then."
    ),
    "quota": Parameter(Integer(0), 0, "Nothing is paid before so many rewards above 0 have been earned; then all is."),
    "deadly": Parameter(Flag(), False, "Touching a distractor ends the episode."),
    **dial_parameters("arcade", ["reward_probability"]),
}


def _entry(game: str, title: str, sub_goals: str | None = None) -> Environment:
    name = game.capitalize()
    shaping = {"shaping": Parameter(Real(0), 0.0, f"What a sub-goal pays at once: {sub_goals}.")} if sub_goals else {}
    return Environment(
        id=f"arcade/{game}",
        gym_id=f"mohs/Arcade{name}-v0",
        title=title,
        parameters={
            **_LEVELS,
            **VIEW_PARAMETERS,
            **_SEEN,
            **_LEARNT,
            **shaping,
            "max_episode_steps": max_episode_steps(64),
        },
        check="mohs.engines.arcade.fleet:check",
        face=f"mohs.envs.arcade:{name}Env",
        vector_face=f"mohs.envs.arcade:{name}VectorEnv",
        spaces="mohs.engines.arcade.fleet:spaces",
        score="mohs.engines.arcade.references:arcade_score",
        renderer="mohs.envs.render.arcade:picture",
        noise=("reward_probability", *shaping),
        levels="start_level",
        held_out="mohs.engines.arcade.fleet:held_out",
        classes="mohs.engines.arcade.fleet:classes",
    )


ARCADE = (
    _entry("collect", "fruit is collected, thorns are left"),
    _entry("avoid", "falling rocks and flying bats are avoided"),
    _entry("chase", "prey that flees is chased, with a ghost behind"),
    _entry("maze", "keys open the doors of treasures", "a key, a door, and a tenth of it for a new cell"),
    _entry("cross", "the road is crossed between cars", "a lane that is nearer to the next kerb"),
    _entry("shoot", "foes are shot, friends are not"),
    _entry("cue", "objects are taken if they are of the kind that is shown"),
    _entry("dig", "gems are dug out of the earth, past gas"),
)
