"""What does each thing of the arcade look like? A tile of 4 × 4 pixels in two colours; the colours are the theme's.

Tiles have no transparent pixels, so the mask of a thing is its whole cell, and its outline says nothing of its class.
"""

from __future__ import annotations

import colorsys
from functools import cache

import numpy as np
import numpy.typing as npt

from mohs.core.seeding import child

TILE = 4  # pixels, along each side
DECOYS = 8  # meaningless things that clutter shows
APART = 4  # pixels in which the pattern of a decoy differs from all others, at least
VARIANTS = 32  # of each tile, where it has a texture
THEMES = 64  # themes for training; held-out levels may have the ones after these
HELD_OUT_THEMES = 16
NOISY_TILE = 0.6  # of the texture of the background: that of what lies on it

_Colour = tuple[int, int, int]
Colours = npt.NDArray[np.float64]

# Of each thing where its second colour is, and its two colours in the first theme.
LOOKS: dict[str, tuple[str, _Colour, _Colour]] = {
    "agent": (".##. #..# #..# .##.", (245, 245, 245), (60, 120, 230)),
    "agent_with_key": ("#..# #### #### #..#", (245, 245, 245), (230, 180, 40)),
    "fruit": ("..#. .... .##. .##.", (70, 190, 80), (30, 110, 50)),
    "thorn": ("#..# .##. .##. #..#", (215, 60, 55), (120, 20, 25)),
    "rock": ("##.. #... ...# ..##", (150, 140, 130), (95, 85, 75)),
    "bat": ("#..# #### .##. ....", (150, 90, 200), (80, 40, 120)),
    "prey": (".... .#.# ...# .##.", (240, 190, 70), (150, 100, 20)),
    "ghost": (".... #.#. .... #.#.", (120, 200, 235), (30, 70, 130)),
    "wall": ("#.#. .... .#.# ....", (125, 85, 70), (80, 50, 40)),
    "key": ("###. #.#. ###. .#..", (245, 215, 70), (150, 115, 10)),
    "door": ("#### #..# #..# #.##", (190, 120, 50), (105, 60, 20)),
    "treasure": ("#..# .##. #### .##.", (70, 215, 200), (15, 110, 110)),
    "trap": (".... #.#. .#.# ....", (220, 80, 150), (125, 25, 80)),
    "car_left": (".#.. ##.. ##.. .#..", (225, 70, 60), (130, 25, 20)),
    "car_right": ("..#. ..## ..## ..#.", (70, 120, 230), (25, 55, 140)),
    "kerb": (".... #### .... ####", (110, 160, 100), (80, 125, 75)),
    "foe": ("#..# #### #..# .##.", (225, 70, 60), (120, 25, 20)),
    "friend": (".##. #### .##. #..#", (75, 195, 95), (25, 105, 45)),
    "disc": (".##. #### #### .##.", (235, 150, 50), (140, 75, 10)),
    "square": ("#### #..# #..# ####", (80, 150, 235), (25, 70, 145)),
    "gem": ("..#. .### ###. .#..", (80, 215, 225), (20, 115, 125)),
    "gas": (".#.. ..#. .#.. ..#.", (170, 205, 60), (95, 120, 15)),
    "stone": (".#.. ...# #... ..#.", (160, 160, 165), (105, 105, 110)),
    "earth": ("..#. .... #... ...#", (130, 90, 50), (95, 65, 35)),
}
GROUND: _Colour = (30, 34, 42)


def _pattern(text: str) -> npt.NDArray[np.bool_]:
    marks: npt.NDArray[np.bool_] = np.array([[mark == "#" for mark in row] for row in text.split()])
    return marks


def _colour(hue: float, saturation: float, value: float) -> Colours:
    return np.array(colorsys.hsv_to_rgb(hue % 1.0, saturation, value)) * 255


def palette(theme: int, names: tuple[str, ...]) -> tuple[Colours, Colours]:
    """The ground [3] and the two colours of things and then decoys [things, 2, 3] of a theme.

    The first theme is made by hand. In the others any thing may have any colour, lighter or darker than the ground.
    """
    rng = np.random.default_rng(child(theme, "theme"))
    count = len(names) + DECOYS
    hues = rng.random() + (rng.permutation(count) + 0.5 * rng.random(count)) / count
    light = theme > 0 and bool(rng.random() < 0.5)
    ground = _colour(rng.random(), 0.6 * rng.random(), 0.85 if light else 0.2)
    values = rng.uniform(0.3, 0.65, count) if light else rng.uniform(0.65, 1.0, count)
    body = [_colour(h, s, v) for h, s, v in zip(hues, rng.uniform(0.5, 1.0, count), values, strict=True)]
    tone = rng.uniform(0.45, 0.6) if rng.random() < 0.5 else rng.uniform(1.5, 1.8)
    pairs = np.array([(colour, np.clip(colour * tone, 0, 255)) for colour in body])
    if theme == 0:
        ground = np.array(GROUND, dtype=float)
        pairs[: len(names)] = np.array([LOOKS[name][1:] for name in names])
    return ground, pairs


@cache
def decoy_patterns() -> npt.NDArray[np.bool_]:
    """Patterns that differ in some pixels from that of every thing and from each other: [decoys, 4, 4]."""
    rng = np.random.default_rng(child(0, "decoys"))
    known = [_pattern(text) for text, *_ in LOOKS.values()]
    while len(known) < len(LOOKS) + DECOYS:
        drawn = rng.random((TILE, TILE)) < 0.4
        if all((drawn != other).sum() >= APART for other in known):
            known.append(drawn)
    return np.array(known[len(LOOKS) :])


def patterns(names: tuple[str, ...]) -> npt.NDArray[np.bool_]:
    """Where things and then decoys have their second colour: [things, 4, 4]."""
    return np.concatenate([[_pattern(LOOKS[name][0]) for name in names], decoy_patterns()])


def tiles(theme: int, names: tuple[str, ...], texture: float, shared: bool) -> npt.NDArray[np.uint8]:
    """The tiles of a theme, [ground, things and decoys; variants; height, width, 3].

    A texture mixes every pixel with a random colour. With shared colours only the patterns tell things apart.
    """
    ground, pairs = palette(theme, names)
    if shared:
        pairs = np.broadcast_to(pairs[:1], pairs.shape)
    marks = patterns(names)[..., None]
    drawn = np.where(marks, pairs[:, None, None, 1], pairs[:, None, None, 0])
    plain = np.concatenate([np.broadcast_to(ground, (1, TILE, TILE, 3)), drawn])[:, None]
    if texture == 0.0:
        return np.asarray(np.rint(plain), dtype=np.uint8)
    rng = np.random.default_rng(child(theme, "texture"))
    noise = rng.integers(256, size=(len(plain), VARIANTS, TILE, TILE, 3))
    share = texture * np.where(np.arange(len(plain)) == 0, 1.0, NOISY_TILE)[:, None, None, None, None]
    mixed: npt.NDArray[np.uint8] = np.rint((1 - share) * plain + share * noise).astype(np.uint8)
    return mixed
