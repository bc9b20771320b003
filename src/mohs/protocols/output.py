"""Where does a verdict go? A report on disk, and sentences and tables, or data, on the standard output."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from mohs.protocols.options import REPORTS
from mohs.protocols.verdict import Verdict
from mohs.report.files import check_directory, slug
from mohs.report.paper import FOLDER as PAPER
from mohs.report.paper import check_paper
from mohs.report.pictures import find_browser
from mohs.report.terminal import print_json, show_table, wrapped
from mohs.runs.status import SHOWN_KEY


@dataclass(frozen=True)
class Output:
    """Where the report is written and with what, and whether data is printed in place of sentences.

    `paper` is the width of figures for a paper, in inches; None writes nothing for one.
    """

    directory: Path
    png: bool = False
    as_json: bool = False
    paper: float | None = None
    single_file: bool = False

    @classmethod
    def of(
        cls,
        out: Path | None,
        name: str,
        png: bool,
        as_json: bool,
        paper: float | None = None,
        single_file: bool = False,
        *,
        label: str = "",
        key: str = "",
    ) -> Output:
        """To `out`, or to a directory named after what is reported.

        Another budget, seed, label or version of an agent's file is another key: its report has a directory of its own.
        """
        named = slug("-".join(part for part in (slug(name), slug(label)) if part))
        directory = out or REPORTS / "-".join(part for part in (named, key[:SHOWN_KEY]) if part)
        return cls(directory, png, as_json, paper, single_file)

    def check(self) -> None:
        """Raises UsageError where the report cannot be written: no browser for pictures, or no such directory."""
        if self.png:
            find_browser()
        check_paper(self.paper)
        check_directory(self.directory)


def deliver(verdict: Verdict, output: Output) -> None:
    """Writes the report of a verdict and prints its sentences and tables, or its data."""
    path = verdict.save(output.directory, png=output.png, paper=output.paper, single_file=output.single_file)
    if output.as_json:
        print_json({**verdict.data(), "report": str(path)})
        return
    for sentence in verdict.sentences:
        print(wrapped(sentence))
    for table in verdict.summary():
        show_table(table.title, table.columns, table.rows)
    print(f"Report: {path}")
    if output.paper is not None:
        print(f"For a paper: {path.parent / PAPER}")
