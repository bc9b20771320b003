"""Where does a page find plotly.js? Inside itself, or in one file that the reports of a directory share.

A report that stands alone holds its own copy (about 5 MB) and can be sent as one file. Where reports lie beside each
other, as in `mohs-report/`, the ones that follow the first refer to one copy in the directory above them.
"""

from __future__ import annotations

from pathlib import Path

from plotly.offline import get_plotlyjs, get_plotlyjs_version

from mohs.report.files import explained, write


def shared_name() -> str:
    """The file that reports of this version of Plotly share."""
    return f"plotly-{get_plotlyjs_version()}.min.js"


def shared_source(directory: Path, page: str) -> str | None:
    """The address of the shared copy as a page in `directory` reads it, written if need be; None to embed it.

    It is shared where another report, a directory with a file named `page`, lies beside `directory`.
    """
    place = directory.absolute()
    with explained(directory):
        beside = place.parent.is_dir() and any(
            (other / page).is_file() for other in place.parent.iterdir() if other != place and other.is_dir()
        )
    if not beside:
        return None
    copy = place.parent / shared_name()
    if not copy.exists():
        write(copy, get_plotlyjs())
    return f"../{copy.name}"


def script(source: str | None) -> str:
    """The element that loads plotly.js from `source`, or holds it."""
    if source is None:
        return f"<script>{get_plotlyjs()}</script>"
    return f'<script src="{source}"></script>'
