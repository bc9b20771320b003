"""Which static pictures go with a report? Every figure as a PNG, drawn by a Chromium that kaleido drives."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from pathlib import Path

import plotly.graph_objects as go

from mohs.core.errors import UsageError
from mohs.report.files import explained
from mohs.report.theme import WIDTH, themed

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
SCALE = 2


def find_browser() -> str:
    """The browser to draw with: BROWSER_PATH, or the first Chromium on the PATH."""
    given = os.environ.get("BROWSER_PATH")
    if given:
        if shutil.which(given) is None:
            raise UsageError(f"BROWSER_PATH is {given!r}, but there is no program of that name.")
        return given
    for name in BROWSERS:
        found = shutil.which(name)
        if found:
            return found
    raise UsageError(
        "PNG pictures need a browser: install Chromium (on Debian: apt install chromium) or set BROWSER_PATH to one."
    )


def write_pictures(figures: Mapping[str, go.Figure], directory: Path, theme: str = "light") -> tuple[Path, ...]:
    """All figures with one start of the browser; each picture appears whole or not at all."""
    browser = find_browser()
    try:
        import kaleido
    except ImportError as error:
        raise UsageError("PNG pictures need kaleido: install it with pip install 'mohs[png]'.") from error
    with explained(directory):
        directory.mkdir(parents=True, exist_ok=True)
    paths = [(directory / f".{name}.part.png", directory / f"{name}.png") for name in figures]
    specs = [
        {
            "fig": themed(figure, theme).to_dict(),
            "path": part,
            "opts": {"format": "png", "width": WIDTH, "height": figure.layout.height, "scale": SCALE},
        }
        for figure, (part, _) in zip(figures.values(), paths, strict=True)
    ]
    try:
        # kaleido would load MathJax from the network; no text here needs it.
        kaleido.write_fig_from_object_sync(specs, cancel_on_error=True, kopts={"mathjax": False, "path": browser})
        with explained(directory):
            for part, path in paths:
                os.replace(part, path)
    except UsageError:
        raise
    except Exception as error:
        raise UsageError(f"the browser {browser!r} could not draw the pictures: {_sentence(error)}.") from error
    finally:
        for part, _ in paths:
            part.unlink(missing_ok=True)
    return tuple(path for _, path in paths)


def _sentence(error: Exception) -> str:
    text = str(error).strip() or type(error).__name__
    return text.splitlines()[0].rstrip(".")
