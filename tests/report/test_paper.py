"""What goes into a paper: LaTeX that compiles, figures as wide as a column, methods and references that exist."""

from __future__ import annotations

import csv
import io
import re
from pathlib import Path

import pytest

from mohs.core.errors import UsageError
from mohs.protocols.diagnose.verdict import Diagnosis
from mohs.protocols.protocol import protocols
from mohs.report import latex
from mohs.report.bibliography import bibtex, entries, short_reference
from mohs.report.methods import Methods
from mohs.report.page_tables import named, page_tables
from mohs.report.pictures import layout_width
from mohs.report.tables import TextTable
from read_pages import needs_browser

SPECIAL = r"a_b & 50% $x$ #1 {y} ~ ^ \z [0.1, −∞] “q” – × é ☃"


def parsed(text: str) -> tuple[str, list[list[str]]]:
    """The columns and the rows of a LaTeX table, by the rules of LaTeX: a plain reading that knows no writer."""
    body = re.sub(r"(?<!\\)%.*", "", text)
    depth, opened = 0, []
    for token in re.findall(r"\\begin\{(\w+)\}|\\end\{(\w+)\}|(\\.)|([{}])", body):
        begin, end, _escape, brace = token
        if begin:
            opened.append(begin)
        elif end:
            assert opened.pop() == end
        depth += {"{": 1, "}": -1}.get(brace, 0)
        assert depth >= 0
    assert not opened
    assert depth == 0
    inner = re.search(r"\\begin\{tabular\}\{(\w+)\}(.*?)\\end\{tabular\}", body, re.S)
    assert inner is not None
    lines = re.sub(r"\\(top|mid|bottom)rule", "", inner.group(2)).split(r"\\")
    assert not lines[-1].strip(), "every row ends with \\\\"
    assert not any(line.lstrip().startswith(("[", "*")) for line in lines), "would be an option of the \\\\ before it"
    return inner.group(1), [re.split(r"(?<!\\)&", line) for line in lines[:-1]]


def test_a_table_has_as_many_cells_as_columns_whatever_it_says() -> None:
    table = TextTable(SPECIAL, ("name", SPECIAL), [(SPECIAL, "1.0"), ("[0, 1]", "−2.5")])
    columns, rows = parsed(table.latex())
    assert columns == "lr"
    assert [len(row) for row in rows] == [2, 2, 2]


@pytest.mark.parametrize("sign", [*r"\&%$#_{}~^<>|−×·±∞≥≤→↑↓–—…“”²Δγελπστφψ½☃", "\u00a0"])
def test_no_special_sign_is_left(sign: str) -> None:
    written = latex.escaped(f"a{sign}b")
    assert written.isascii()
    bare = re.sub(r"\\[a-zA-Z]+(\{\})?|\\[^a-zA-Z]|\$[^$]*\$", "", written)
    assert not set(bare) & set(r"\&%$#_^<>|") or bare == "a~b"


def test_accents_stay() -> None:
    assert latex.escaped("Wołczyk é") == "Wołczyk é"


def test_csv_has_the_hyphens_that_programs_read() -> None:
    table = TextTable("t", ("x", "y"), [("a", "−1.5"), ("b, c", "2")])
    assert list(csv.reader(io.StringIO(table.csv()))) == [["x", "y"], ["a", "-1.5"], ["b, c", "2"]]


def test_every_table_of_a_page_is_found(whole: Diagnosis) -> None:
    page = whole.page()
    found = page_tables(page.body)
    assert len(found) == page.body.count("<table")
    tables = whole.tables()
    assert len(tables) == len(found) + len(whole.summary())
    for table in tables.values():
        columns, rows = parsed(table.latex())
        assert {len(row) for row in rows} == {len(columns)}
        assert len(rows) == len(table.rows) + 1
    dial = tables["all-measures-of-delay"]
    assert dial.rows[0][0] == "0 vanilla"
    assert re.fullmatch(r"[\d.−]+ \[[\d.−]+, [\d.−]+\]", dial.rows[1][1])


def test_equal_titles_get_numbers() -> None:
    table = TextTable("Scores", ("a",), [("1",)])
    assert list(named([table, table, TextTable("", ("a",), [])])) == ["scores", "scores-2", "table"]


def test_references_are_sound() -> None:
    known = entries()
    assert len(known) >= 10
    for key, text in known.items():
        assert text.count("{") == text.count("}")
        assert {"title", "author", "year"} <= set(re.findall(r"^  (\w+) =", text, re.M))
        assert re.search(r"\d{4}$", short_reference(key))
        assert key in bibtex([key])
    with pytest.raises(UsageError, match="rajan2023mdp"):
        bibtex(["rajan2023"])


def test_citations_in_text_and_latex() -> None:
    methods = Methods("As in [@rajan2023mdp; @wolczyk2021continual], 50% of runs.")
    assert str(methods) == "As in (Rajan et al. 2023; Wołczyk et al. 2021), 50% of runs."
    assert methods.latex() == "As in \\cite{rajan2023mdp,wolczyk2021continual}, 50\\% of runs.\n"
    assert methods.bibtex().count("@") == 2


def test_methods_of_a_diagnosis_have_its_numbers(whole: Diagnosis) -> None:
    text = str(whole.methods())
    study = whole.study
    for number in (f"{study.budget:,}", f"{study.seeds} seeds", f"{whole.runs:,} runs", f"{len(study.doses)} dials"):
        assert number in text
    assert whole.vanilla.means[whole.measure].method in text
    assert "rajan2023mdp" in whole.methods().cited


def test_every_protocol_of_ours_has_methods() -> None:
    assert all(protocol.part("methods") for protocol in protocols().values() if protocol.name != "sweep")


def test_figures_are_laid_out_for_a_column(whole: Diagnosis) -> None:
    for inches in (3.25, 6.75):
        assert {f.layout.width for f in whole.figures(inches=inches).values()} == {layout_width(inches)}


@pytest.mark.parametrize("inches", [0.0, 1.0, 100.0])
def test_a_width_that_no_paper_has(whole: Diagnosis, tmp_path: Path, inches: float) -> None:
    with pytest.raises(UsageError, match=r"3\.25 for one column"):
        whole.save(tmp_path / "out", paper=inches)
    assert not (tmp_path / "out").exists()


@needs_browser
def test_paper_is_written_at_its_size(whole: Diagnosis, tmp_path: Path) -> None:
    pytest.importorskip("kaleido")
    from mohs.report.paper import write_paper

    some = {"profile": whole.figures()["profile"]}
    place = write_paper(some, whole.tables(), whole.methods(), tmp_path, 3.25)
    assert sorted(p.suffix for p in (place / "figures").iterdir()) == [".pdf", ".png", ".svg"]
    svg, pdf = ((place / "figures" / f"profile.{ending}").read_bytes() for ending in ("svg", "pdf"))
    assert b'width="312"' in svg[:300], "3.25 inches of 96 pixels"
    box = re.search(rb"/MediaBox \[0 0 ([\d.]+) ", pdf)
    assert box is not None
    assert float(box.group(1)) == pytest.approx(3.25 * 72, abs=1)
    assert {p.suffix for p in (place / "tables").iterdir()} == {".tex", ".csv"}
    for key in whole.methods().cited:
        assert key in (place / "methods.tex").read_text()
        assert f"{{{key}," in (place / "references.bib").read_text()
