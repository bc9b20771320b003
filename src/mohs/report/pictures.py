"""Which static pictures go with a report? Every figure as PNG, SVG or PDF, drawn by a Chromium that kaleido drives."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import plotly.graph_objects as go

from mohs.core.errors import UsageError
from mohs.report.files import explained
from mohs.report.fit import fitted
from mohs.report.theme import WIDTH, themed

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
SCALE = 2
SCREEN, DOTS = 96, 300  # pixels of an inch: of a browser, which SVG and PDF use, and of printed PNG
POINTS_PER_INCH, BODY, PRINTED = 72, 12, 8  # a text of BODY pixels is printed at PRINTED points


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
        "pictures need a browser: install Chromium (on Debian: apt install chromium) or set BROWSER_PATH to one."
    )


@dataclass(frozen=True)
class Picture:
    """A file to draw: the figure, the path, and how many times larger than its layout it is drawn."""

    figure: go.Figure
    path: Path
    width: int
    scale: float

    @property
    def part(self) -> Path:
        """Where it is drawn before it is whole."""
        return self.path.with_name(f".{self.path.stem}.part{self.path.suffix}")


def write_pictures(figures: Mapping[str, go.Figure], directory: Path, theme: str = "light") -> tuple[Path, ...]:
    """All figures as PNG files, as wide as on the page."""
    return draw(
        [Picture(themed(figure, theme), directory / f"{name}.png", WIDTH, SCALE) for name, figure in figures.items()]
    )


def paper_pictures(figures: Mapping[str, go.Figure], directory: Path, inches: float) -> tuple[Path, ...]:
    """All figures as PDF, SVG and PNG files, laid out for a column of so many inches."""
    width = layout_width(inches)
    pictures = []
    for name, figure in figures.items():
        laid = fitted(figure, width)
        for ending, dots in (("pdf", SCREEN), ("svg", SCREEN), ("png", DOTS)):
            pictures.append(Picture(laid, directory / f"{name}.{ending}", width, inches * dots / width))
    return draw(pictures)


def layout_width(inches: float) -> int:
    """The pixels for which a figure is laid out, so that its text of 12 pixels is printed at 8 points."""
    return round(inches * POINTS_PER_INCH * BODY / PRINTED)


def draw(pictures: Sequence[Picture]) -> tuple[Path, ...]:
    """All pictures with one start of the browser; each appears whole or not at all."""
    browser = find_browser()
    try:
        import kaleido
    except ImportError as error:
        raise UsageError("pictures need kaleido: install it with pip install 'mohs[png]'.") from error
    for directory in {picture.path.parent for picture in pictures}:
        with explained(directory):
            directory.mkdir(parents=True, exist_ok=True)
    specs = [
        {
            "fig": p.figure.to_dict(),
            "path": p.part,
            "opts": {
                "format": p.path.suffix[1:],
                "width": p.width,
                "height": p.figure.layout.height,
                "scale": p.scale,
            },
        }
        for p in pictures
    ]
    try:
        # kaleido would load MathJax from the network; no text here needs it.
        kaleido.write_fig_from_object_sync(specs, cancel_on_error=True, kopts={"mathjax": False, "path": browser})
        for picture in pictures:
            with explained(picture.path.parent):
                os.replace(picture.part, picture.path)
    except UsageError:
        raise
    except Exception as error:
        raise UsageError(f"the browser {browser!r} could not draw the pictures: {_sentence(error)}.") from error
    finally:
        for picture in pictures:
            picture.part.unlink(missing_ok=True)
    return tuple(picture.path for picture in pictures)


def _sentence(error: Exception) -> str:
    text = str(error).strip() or type(error).__name__
    return text.splitlines()[0].rstrip(".")
