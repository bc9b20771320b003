"""What does a game show, and in which sprites? Tables 1 to 4 of appendix A.6 of the Diagnosticator's paper.

A painted copy of Procgen (`copies.py`) fills every sprite with the colour of its class.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

Colour = tuple[int, int, int]


@dataclass(frozen=True)
class Paint:
    """The classes of a game and where they are seen.

    Attributes:
        figure: For each class, in the order of Tables 1 and 2, its id in the figure/ground view (Tables 3 and 4).
        sprites: The files of each class. A name that is no class gets its class from the level (`roles.py`).
        filled: Colours that the game fills itself, and their classes.
        hidden: Files of what no class of A.6 is about: it belongs to the ground.
    """

    figure: Mapping[str, int]
    sprites: Mapping[str, tuple[str, ...]]
    filled: Mapping[Colour, str] = field(default_factory=dict)
    hidden: tuple[str, ...] = ()

    @property
    def classes(self) -> tuple[str, ...]:
        return tuple(self.figure)


def _alike(*classes: str) -> dict[str, int]:
    return dict.fromkeys(classes, 1)


def _misc(*names: str) -> tuple[str, ...]:
    return tuple(f"misc_assets/{name}.png" for name in names)


def _numbered(stem: str, *numbers: int) -> tuple[str, ...]:
    return _misc(*(f"{stem}{number}" for number in numbers))


def _platformer(*names: str) -> tuple[str, ...]:
    return tuple(f"platformer/{name}.png" for name in names)


def _kenney(*names: str) -> tuple[str, ...]:
    return tuple(f"kenney/{name}.png" for name in names)


_EXPLOSIONS = _numbered("explosion", 1, 2, 3, 4, 5)
_METEORS = _misc(*(f"spaceMeteors_00{k}" for k in range(1, 5)), *(f"meteorGrey_big{k}" for k in range(1, 5)))
_TILES = _platformer(
    *(f"tile{colour}_{shape}" for colour, shapes in (
        ("Blue", ("05", "08")), ("Green", ("05", "08")), ("Yellow", ("06", "09")), ("Brown", ("06", "09"))
    ) for shape in shapes)
)  # fmt: skip
_TRAIL = _misc("iconCircle_white")
_ALIENS = ("Beige", "Blue", "Green", "Pink", "Yellow")
_GROUNDS = ("Dirt", "Grass", "Planet", "Sand", "Snow", "Stone")
_ENEMIES = (
    "slimeBlock",
    "slimePurple",
    "slimeBlue",
    "slimeGreen",
    "mouse",
    "snail",
    "ladybug",
    "wormGreen",
    "wormPink",
)

SHIPS = tuple(f"ship {k}" for k in range(6))  # of plunder: friend or enemy by the level
LASERS = tuple(f"laser {k}" for k in range(3))  # of bossfight: the player's or the enemy's by the level

PAINTS: Mapping[str, Paint] = {
    "bigfish": Paint(
        _alike("player", "fish"),
        {"player": _misc("fishTile_072"), "fish": _misc("fishTile_074", "fishTile_078", "fishTile_080")},
    ),
    "bossfight": Paint(
        _alike("player", "player projectile", "enemy", "enemy projectile", "shield", "meteor", "explosion"),
        {
            "player": _misc("playerShip1_blue", "playerShip1_green", "playerShip2_orange", "playerShip3_red"),
            "enemy": _misc("enemyShipBlack1", "enemyShipBlue2", "enemyShipGreen3", "enemyShipRed4"),
            "shield": _misc("shield2"),
            "meteor": _METEORS,
            "explosion": _EXPLOSIONS,
            **dict(zip(LASERS, (_misc("laserGreen14"), _misc("laserRed11"), _misc("laserBlue09")), strict=True)),
        },
    ),
    "caveflyer": Paint(
        _alike("player", "enemy", "player projectile", "target", "goal", "meteor", "explosion", "terrain"),
        {
            "player": _misc("playerShip1_red"),
            "enemy": _misc("enemyShipBlue4"),
            "player projectile": _misc("laserBlue02"),
            "target": _misc("ufoRed2"),
            "goal": _misc("ufoGreen2"),
            "meteor": _misc("meteorBrown_big1"),
            "explosion": _EXPLOSIONS,
            "terrain": _misc("groundA"),
        },
        hidden=_misc("towerDefense_tile295"),  # the exhaust
    ),
    "chaser": Paint(
        _alike("player", "enemy", "weakened enemy", "egg", "square", "star", "wall"),
        {
            "player": _misc("enemyFloating_1b"),
            "enemy": _numbered("enemyFlying_", 1, 2, 3),
            "weakened enemy": _misc("enemyWalking_1b"),
            "egg": _misc("enemySpikey_1b"),
            "star": _misc("yellowCrystal"),
            "wall": _misc("tileStone_slope"),
        },
        {(0, 255, 0): "square"},
    ),
    "climber": Paint(
        _alike("player", "enemy", "star", "wall"),
        {
            "player": _platformer(
                *(f"player{colour}_{pose}" for colour in ("Blue", "Green", "Grey", "Red")
                  for pose in ("stand", "walk1", "walk2", "walk4"))
            ),
            "enemy": _platformer("enemySwimming_1", "enemySwimming_2"),
            "star": _platformer("yellowCrystal"),
            "wall": _TILES,
        },
    ),
    "coinrun": Paint(
        _alike("player", "enemy", "barrier", "saw", "lava", "goal", "crate", "wall"),
        {
            "player": _kenney(
                *(f"Players/128x256/{colour}/alien{colour}_{pose}" for colour in _ALIENS
                  for pose in ("stand", "jump", "walk1", "walk2"))
            ),
            "enemy": _kenney(*(f"Enemies/{name}{pose}" for name in _ENEMIES for pose in ("", "_move"))),
            "saw": _kenney("Enemies/sawHalf", "Enemies/sawHalf_move"),
            "lava": _kenney("Tiles/lavaTop_low", "Tiles/lava"),
            "goal": _kenney("Items/coinGold"),
            "crate": _kenney(*(f"Tiles/boxCrate{kind}" for kind in ("", "_double", "_single", "_warning"))),
            "wall": _kenney(*(f"Ground/{g}/{g.lower()}{part}" for g in _GROUNDS for part in ("Mid", "Center"))),
        },
        hidden=_TRAIL,
    ),
    "dodgeball": Paint(
        _alike("player", "player projectile", "enemy", "enemy projectile", "locked exit", "unlocked exit", "wall"),
        {
            "player": _misc("character12"),
            "player projectile": _misc("ball_soccer1"),
            "enemy": _numbered("character", *range(1, 12)),
            "enemy projectile": _misc("ball_soccer2"),
            "locked exit": _misc("blockRed"),
            "unlocked exit": _misc("blockGreen"),
            "wall": _misc("tileStone_slope2"),
        },
        hidden=_numbered("spaceEffect", *range(1, 10)),  # the dust of an enemy that was hit
    ),
    "fruitbot": Paint(
        _alike("player", "player projectile", "reward", "penalty", "lock", "locked door", "goal", "barrier"),
        {
            "player": _misc("robot_3Dblue"),
            "player projectile": _misc("keyRed2"),
            "reward": _numbered("fruit", *range(1, 7)),
            "penalty": _numbered("food", *range(1, 7)),
            "lock": _misc("lockRed2"),
            "locked door": _misc("fenceYellow"),
            "goal": _numbered("present", 1, 2, 3),
            "barrier": _misc("tileStone_slope"),
        },
    ),
    "heist": Paint(
        {"player": 4, "blue key and lock": 1, "green key and lock": 2, "red key and lock": 3, "goal": 4, "wall": 4},
        {
            "player": _misc("spaceAstronauts_008"),
            "blue key and lock": _misc("keyBlue", "lock_blue"),
            "green key and lock": _misc("keyGreen", "lock_green"),
            "red key and lock": _misc("keyRed", "lock_red"),
            "goal": _misc("gemYellow"),
            "wall": _kenney("Ground/Dirt/dirtCenter"),
        },
    ),
    "jumper": Paint(
        {"player": 3, "spike": 3, "goal": 3, "needle and bar": 1, "compass": 2, "terrain": 3},
        {
            "player": _misc(*(f"bunny2_{pose}" for pose in ("ready", "jump", "walk1", "walk2"))),
            "spike": _misc("spikeMan_stand"),
            "goal": _misc("carrot"),
            "terrain": _TILES,
        },
        {(252, 186, 3): "needle and bar", (168, 166, 158): "compass"},
        _TRAIL,
    ),
    "leaper": Paint(
        {"player": 2, "car": 2, "road": 1, "log": 2, "water": 1, "finish line": 2},
        {
            "player": _numbered("frog", 1, 2, 4, 6, 7),
            "car": _misc("car_yellow_5", "car_black_1", "car_blue_2", "car_green_3", "car_red_4"),
            "road": _misc("roadTile6b"),
            "log": _misc("elementWood044"),
            "water": _misc("terrainTile6"),
            "finish line": _misc("finish2"),
        },
    ),
    "maze": Paint(
        _alike("player", "goal", "wall"),
        {"player": _kenney("Enemies/mouse_move"), "goal": _misc("cheese"), "wall": _kenney("Ground/Sand/sandCenter")},
    ),
    "miner": Paint(
        _alike("player", "boulder", "crystal", "exit", "dirt"),
        {
            "player": _misc("robot_greenDrive1"),
            "boulder": _misc("elementStone007"),
            "crystal": _misc("gemBlue"),
            "exit": _misc("window"),
            "dirt": _misc("dirt"),
        },
        hidden=_misc("tile_bricksGrey"),  # beyond the border, which is in sight in memory mode only
    ),
    "ninja": Paint(
        {"player": 2, "player projectile": 2, "goal": 2, "bomb": 2, "explosion": 2, "jump charge": 1, "wall": 2},
        {
            "player": _platformer(*(f"zombie_{pose}" for pose in ("idle", "jump", "walk1", "walk2"))),
            "player projectile": _misc("saw"),
            "goal": _platformer(*(f"shroom{k}" for k in range(1, 7))),
            "bomb": _misc("bomb"),
            "explosion": _EXPLOSIONS,
            "wall": _misc("tile_bricksGrey", "tile_bricksGrown", "tile_bricksRed"),
        },
        {(66, 245, 135): "jump charge"},
    ),
    "plunder": Paint(
        {
            "player and allies": 1, "player projectile": 5, "enemy": 2, "cue circle": 5, "barrier": 5, "explosion": 5,
            "time bar": 3, "points bar": 4,
        },
        {
            "player projectile": _misc("cannonBall"),
            "cue circle": _misc("target_red2"),
            "barrier": _misc("panel_wood"),
            "explosion": _EXPLOSIONS,
            **{name: _misc(f"ship_{k}") for k, name in enumerate(SHIPS, 1)},
        },
        {(66, 245, 135): "time bar", (245, 66, 144): "points bar"},
    ),
    "starpilot": Paint(
        _alike(
            "player", "player projectile", "slow flyer", "fast flyer", "flyer projectile", "turret",
            "turret projectile", "meteor", "cloud", "finish line", "explosion",
        ),
        {
            "player": _misc("playerShip2_blue"),
            "player projectile": _misc("towerDefense_tile295"),
            "slow flyer": _misc(*(f"spaceShips_00{k}" for k in range(1, 8))),  # fast ones are drawn with the same
            "flyer projectile": _misc("towerDefense_tile296"),
            "turret": _misc("spaceStation_018", "spaceStation_019"),
            "turret projectile": _misc("towerDefense_tile297"),
            "meteor": _METEORS,
            "cloud": _numbered("spaceEffect", *range(1, 10)),
            "finish line": _misc(*(f"spaceRockets_00{k}" for k in range(1, 5))),
            "explosion": _EXPLOSIONS,
        },
    ),
}  # fmt: skip
