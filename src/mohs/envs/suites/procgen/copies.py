"""How does Procgen come to draw classes? A second copy of its library reads sprites that are filled with one colour.

The library reads its sprites once, from the folder that it is told first. A copy under another path is another library
to Linux, with sprites of its own, in the same process. Sprites keep their sizes, so that hit boxes and the stream of
random numbers stay what they are; they are drawn without blending, so that colours stay exact.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
import platform
import shutil
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from functools import cache
from pathlib import Path

import numpy as np

from mohs.core.errors import UsageError
from mohs.core.files import private_directory
from mohs.envs.suites.procgen.colours import colours
from mohs.envs.suites.procgen.paints import PAINTS

_FORMAT = 1  # of what is written
_LIBRARY = Path("data", "prebuilt", "libenv.so")
_ASSETS = Path("data", "assets")


def package() -> Path:
    """The folder of the installed package."""
    found = importlib.util.find_spec("procgen")
    if found is None or not found.submodule_search_locations:
        raise ModuleNotFoundError("No module named 'procgen'")
    return Path(found.submodule_search_locations[0])


@cache
def copy_of(game: str) -> Path:
    """A folder like that of the package, with the library and painted sprites for one game; made once, in the cache.

    Raises:
        UsageError: The package is not the wheel for Linux, or the folder cannot be written.
    """
    original = package()
    if platform.system() != "Linux" or not (original / _LIBRARY).is_file():
        raise UsageError("views of Procgen need its wheel for Linux: elsewhere only view='pixels' can be shown.")
    home = private_directory(f"procgen-{_version(original)}")  # the library in it is run
    if home is None:
        raise UsageError("views of Procgen need a cache directory that you alone can write.")
    try:
        if not (home / game).is_dir():
            _write(original, game, home / game)
    except OSError as error:
        raise UsageError(f"views of Procgen need a cache directory that can be written ({error}).") from error
    return home / game


def _version(original: Path) -> str:
    """Another library, other paints or another place are another copy."""
    stat = (original / _LIBRARY).stat()
    text = repr((_FORMAT, str(original), stat.st_size, stat.st_mtime_ns, PAINTS))
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _write(original: Path, game: str, place: Path) -> None:
    """Writes beside the place, then renames, so that no other process sees a part of it."""
    place.parent.mkdir(parents=True, exist_ok=True)
    for libs in original.parent.glob("procgen*.libs"):  # where the library looks for what it needs
        link = place.parent / libs.name
        with suppress(FileExistsError):
            link.symlink_to(libs)
    draft = Path(tempfile.mkdtemp(prefix=f".{game}-", dir=place.parent))
    try:
        (draft / _LIBRARY).parent.mkdir(parents=True)
        shutil.copyfile(original / _LIBRARY, draft / _LIBRARY)
        _paint(original / _ASSETS, draft / _ASSETS, game)
        draft.rename(place)
    except OSError:
        if not place.is_dir():  # else another process was faster
            raise
    finally:
        shutil.rmtree(draft, ignore_errors=True)


def _paint(originals: Path, assets: Path, game: str) -> None:
    from PIL import Image  # comes with Procgen's imageio

    painted: Mapping[str, tuple[int, int, int]] = colours(game)
    blank = assets / "blank.png"
    assets.mkdir(parents=True)
    Image.fromarray(np.zeros((1, 1, 4), dtype=np.uint8)).save(blank)
    for file in originals.rglob("*.png"):
        name = file.relative_to(originals)
        (assets / name).parent.mkdir(parents=True, exist_ok=True)
        if name.as_posix() not in painted and name.as_posix() not in PAINTS[game].hidden:
            os.link(blank, assets / name)
            continue
        opacity = np.asarray(Image.open(file).convert("RGBA"))[..., 3]
        sprite = np.zeros((*opacity.shape, 4), dtype=np.uint8)
        if name.as_posix() in painted:
            sprite[opacity > opacity.max() / 2] = (*painted[name.as_posix()], 255)
        Image.fromarray(sprite).save(assets / name)
