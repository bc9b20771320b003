"""What does every protocol's verdict offer? Sentences, a data frame, figures, a report on disk, and a notebook view."""

from __future__ import annotations

from abc import ABC, abstractmethod
from contextlib import AbstractContextManager, nullcontext
from copy import copy
from dataclasses import replace
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Self

from mohs.core.arguments import checked
from mohs.core.values import Json, sealed
from mohs.protocols.protocol import Stop, find_protocol
from mohs.report.findings import Finding
from mohs.report.tables import TextTable

if TYPE_CHECKING:
    import pandas as pd
    import plotly.graph_objects as go

    from mohs.report.methods import Methods
    from mohs.report.page import Page


class Verdict(ABC):
    """What a protocol concludes from its runs.

    Example:
        >>> import mohs
        >>> verdict = mohs.card("toy/discrete", max_episode_steps=5)
        >>> verdict.sentences[0].startswith("toy/discrete max_episode_steps=5 is")
        True
        >>> sorted(verdict.figures())
        ['horizons', 'look-ahead', 'profile', 'returns', 'states']
    """

    protocol: ClassVar[str]  # the name of its protocol
    run_notes: tuple[Finding, ...] = ()  # of any protocol: why runs failed, or were left out
    stopped: Stop | None = None  # why the study ended after its first tracks
    label: str = ""  # of its study, where that has one
    stored: bool = False  # whether its study was read from a store, which may name code
    computed_on: str = ""  # the processors that trained its runs, for the methods of a paper

    if TYPE_CHECKING:

        @property
        def findings(self) -> tuple[Finding, ...]:
            """What it says, the most important first: a field, or computed."""

    @abstractmethod
    def to_json(self) -> dict[str, Json]:
        """All of it as plain data.

        Example:
            >>> import mohs
            >>> verdict = mohs.card("toy/discrete", max_episode_steps=5)
            >>> verdict.to_json()["states"]
            9
        """

    @abstractmethod
    def frame(self) -> pd.DataFrame:
        """Its numbers as a data frame, one row for each run or quantity.

        Example:
            >>> import mohs
            >>> verdict = mohs.card("toy/discrete", max_episode_steps=5)
            >>> "states" in set(verdict.frame()["quantity"])
            True
        """

    @property
    def sentences(self) -> tuple[str, ...]:
        """What it says, as plain text.

        Example:
            >>> import mohs
            >>> verdict = mohs.card("toy/discrete", max_episode_steps=5)
            >>> all(sentence.endswith(".") for sentence in verdict.sentences)
            True
        """
        with self._reading():
            return tuple(finding.sentence for finding in (*self.findings, *self.run_notes))

    def noted(self, notes: tuple[Finding, ...], stopped: Stop | None = None) -> Self:
        """The same verdict with notes about its runs.

        Args:
            notes: sentences that follow the findings.
            stopped: why the study ended after its first tracks, where it did.

        Returns:
            The verdict with these notes.

        Example:
            >>> import mohs
            >>> from mohs.report.findings import Finding
            >>> verdict = mohs.card("toy/discrete", max_episode_steps=5)
            >>> verdict.noted((Finding("3 runs failed."),)).sentences[-1]
            '3 runs failed.'
        """
        with_notes = copy(self)
        object.__setattr__(with_notes, "run_notes", notes)  # a verdict is frozen
        object.__setattr__(with_notes, "stopped", stopped)
        return with_notes

    def data(self) -> dict[str, Json]:
        """`to_json`, and why the study ended after its first tracks, where it did: what `verdict.json` holds.

        Example:
            >>> import mohs
            >>> verdict = mohs.card("toy/discrete", max_episode_steps=5)
            >>> "stopped" in verdict.data()
            False
        """
        with self._reading():
            return self.to_json() | ({} if self.stopped is None else {"stopped": self.stopped.to_json()})

    def labelled(self, label: str) -> Self:
        """The same verdict under the label of its study, which its report shows.

        Args:
            label: what the study is called; empty for none.

        Returns:
            A copy.

        Example:
            >>> import mohs
            >>> mohs.card("toy/discrete", max_episode_steps=5).labelled("mine").label
            'mine'
        """
        found = copy(self)
        object.__setattr__(found, "label", label)  # a verdict is a frozen record
        return found

    def read_only(self) -> Self:
        """The same verdict, of a study that was read from a store: nothing that the study names is imported for it.

        Returns:
            A copy.

        Example:
            >>> import mohs
            >>> mohs.card("toy/discrete", max_episode_steps=5).read_only().stored
            True
        """
        found = copy(self)
        object.__setattr__(found, "stored", True)  # a verdict is a frozen record
        return found

    def carried_out_on(self, processors: str) -> Self:
        """The same verdict with what trained its runs, which its methods name.

        Args:
            processors: a sentence.

        Returns:
            A copy.

        Example:
            >>> import mohs
            >>> verdict = mohs.card("toy/discrete", max_episode_steps=5).carried_out_on("Processor: Z80.")
            >>> str(verdict.methods()).endswith("Processor: Z80.")
            True
        """
        found = copy(self)
        object.__setattr__(found, "computed_on", processors)  # a verdict is a frozen record
        return found

    def _reading(self) -> AbstractContextManager[None]:
        return sealed() if self.stored else nullcontext()

    def figures(self, inches: float | None = None) -> dict[str, go.Figure]:
        """The figures of its report, by name, as Plotly figures.

        Args:
            inches: lay them out for a column of a paper this wide: 3.25 for one column, 6.75 for two. Write one with
                `figure.write_image(path, scale=8/9)`, and its text has 8 points.

        Returns:
            A figure for each name.

        Example:
            >>> import mohs
            >>> verdict = mohs.card("toy/discrete", max_episode_steps=5)
            >>> type(verdict.figures()["returns"]).__name__
            'Figure'
            >>> verdict.figures(inches=3.25)["returns"].layout.width
            351
        """
        found = dict(self.page().figures)
        if inches is None:
            return found
        from mohs.report.fit import fitted
        from mohs.report.pictures import layout_width

        return {name: fitted(figure, layout_width(inches)) for name, figure in found.items()}

    def tables(self) -> dict[str, TextTable]:
        """Every table of its report and of the terminal, by name; `latex()`, `csv()` and `html()` write one.

        Example:
            >>> import mohs
            >>> tables = mohs.card("toy/discrete", max_episode_steps=5).tables()
            >>> r"\\toprule" in tables["the-task"].latex()
            True
        """
        from mohs.report.page_tables import named, page_tables

        return named([*self.summary(), *page_tables(self.page().body)])

    def methods(self) -> Methods:
        """The paragraph for the methods section of a paper: what was run, how it was judged, what it cites.

        Example:
            >>> import mohs
            >>> methods = mohs.card("toy/discrete", max_episode_steps=5).methods()
            >>> "Software: mohs" in str(methods)
            True
            >>> methods.bibtex().startswith("@")
            True
        """
        from mohs.report.methods import Methods, of_facts

        protocol = find_protocol(self.protocol)
        found: Methods
        if protocol.methods is None:
            found = of_facts(protocol.text, self.page().facts)
        else:
            with self._reading():
                found = protocol.part("methods")(self)
        return Methods(f"{found.text} {self.computed_on}") if self.computed_on else found

    def page(self) -> Page:
        """Its report as data.

        Example:
            >>> import mohs
            >>> verdict = mohs.card("toy/discrete", max_episode_steps=5)
            >>> list(verdict.page().tables)
            ['frame.csv']
        """
        with self._reading():
            page: Page = find_protocol(self.protocol).part("page")(self)
            rows = self.frame().to_csv(index=False, lineterminator="\n")
        body = notes_html(self.run_notes) + page.body
        facts = {"label": self.label, **page.facts} if self.label else page.facts
        return replace(page, body=body, tables={"frame.csv": rows, **page.tables}, facts=facts)

    def summary(self) -> tuple[TextTable, ...]:
        """The tables that the terminal shows below the sentences.

        Example:
            >>> import mohs
            >>> verdict = mohs.card("toy/discrete", max_episode_steps=5)
            >>> verdict.summary()[0].title
            'Profile'
        """
        with self._reading():
            tables: tuple[TextTable, ...] = find_protocol(self.protocol).part("summary")(self)
        return tables

    def save(
        self,
        directory: Path | str,
        *,
        png: bool = False,
        paper: float | None = None,
        single_file: bool = False,
    ) -> Path:
        """Writes `report.html`, `verdict.json`, `frame.csv` (the rows of `frame`) and further tables as CSV files.

        Args:
            directory: where to; it is made if it is not there.
            png: also write every figure as a PNG file, which needs a Chromium.
            paper: also write the folder `paper`: every figure as PDF, SVG and PNG, so many inches wide (3.25 for one
                column, 6.75 for two); every table as LaTeX and CSV; the methods and their references. Needs a Chromium.
            single_file: keep plotly.js inside the page, also where another report lies beside it and they could share.

        Returns:
            The path of the page.

        Raises:
            UsageError: the directory cannot be written, or there is no browser for `png` or `paper`.

        Example:
            >>> import mohs, tempfile
            >>> mohs.card("toy/discrete", max_episode_steps=5).save(tempfile.mkdtemp()).name
            'report.html'
        """
        from mohs.report.page import write_page
        from mohs.report.paper import FOLDER, check_paper, write_paper

        check_paper(paper)
        page = self.page()
        path = write_page(page, self.data(), Path(directory), png=png, single_file=single_file)
        if paper is not None:
            write_paper(page.figures, self.tables(), self.methods(), path.parent / FOLDER, paper)
        return path

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self.sentences[0] if self.sentences else 'no verdict'}>"

    def _repr_html_(self) -> str:
        """The sentences and tables, for notebooks."""
        first, *rest = self.sentences or ("No verdict.",)
        listed = "".join(f"<li>{escape(line)}</li>" for line in rest)
        tables = "".join(table.html() for table in self.summary())
        return f"<p><b>{escape(first)}</b></p><ul>{listed}</ul>{tables}"


def notes_html(notes: tuple[Finding, ...]) -> str:
    """The notes of a verdict, which stand above all else on its page."""
    items = "".join(f'<li class="warning">{escape(note.sentence)}</li>' for note in notes)
    return f'<ul class="findings">{items}</ul>' if notes else ""


@checked
def write_report(verdict: Verdict, out_dir: Path | str, png: bool = False) -> Path:
    """Writes the report of any verdict: `verdict.save(out_dir, png=png)`.

    Args:
        verdict: what any protocol returned.
        out_dir: the directory of the report.
        png: also write every figure as a PNG file.

    Returns:
        The path of `report.html`.

    Raises:
        UsageError: the directory cannot be written, or there is no browser for `png`.

    Example:
        >>> import mohs, tempfile
        >>> card = mohs.card("toy/discrete", max_episode_steps=5)
        >>> mohs.write_report(card, tempfile.mkdtemp()).name
        'report.html'
    """
    return verdict.save(out_dir, png=png)
