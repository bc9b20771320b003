"""How does a text or a table become LaTeX that compiles? Special characters are escaped, tables use booktabs."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

_ESCAPES = {
    "\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_", "{": r"\{", "}": r"\}",
    "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "<": r"\textless{}", ">": r"\textgreater{}",
    "|": r"\textbar{}", '"': r"\textquotedbl{}",
    "−": "$-$", "×": r"$\times$", "·": r"$\cdot$", "±": r"$\pm$", "∞": r"$\infty$", "≥": r"$\geq$", "≤": r"$\leq$",
    "≈": r"$\approx$", "→": r"$\to$", "↑": r"$\uparrow$", "↓": r"$\downarrow$", "↕": r"$\updownarrow$",
    "½": r"$\frac{1}{2}$", "Δ": r"$\Delta$", "α": r"$\alpha$", "γ": r"$\gamma$", "ε": r"$\epsilon$",
    "λ": r"$\lambda$", "π": r"$\pi$", "σ": r"$\sigma$", "τ": r"$\tau$", "φ": r"$\phi$", "ψ": r"$\psi$",
    "√": r"$\surd$", "⁻": r"$^{-}$", "²": r"$^{2}$", "✓": r"$\surd$",
    "–": "--", "—": "---", "…": r"\ldots{}", "“": "``", "”": "''", "‘": "`", "’": "'", "\u00a0": "~",
    "ⁿ": r"$^{n}$", "₂": r"$_{2}$", "∈": r"$\in$", "↔": r"$\leftrightarrow$",
}  # fmt: skip
_NUMBER = re.compile(r"^[\s\d.,+\-−–∞%\[\]()×e/]*$|^(missing|not defined|unknown)$")
PREAMBLE = "% needs \\usepackage{booktabs}, \\usepackage{graphicx} and \\usepackage[T1]{fontenc}\n"
WIDE = 85  # characters of a line from which a table is scaled down to the width of the text


def escaped(text: str) -> str:
    """A text as LaTeX prints it. Letters with accents stay; a sign without a LaTeX name is given by its number."""
    return "".join(_ESCAPES.get(c) or (c if _prints(c) else rf"\mbox{{U+{ord(c):04X}}}") for c in text)


def _prints(c: str) -> bool:
    """Whether LaTeX prints a character as it is: ASCII, and the letters of Latin-1 and Latin Extended-A."""
    return c.isascii() or (c.isalpha() and ord(c) < 0x180)


def table(title: str, columns: Sequence[str], rows: Sequence[Sequence[str]], label: str) -> str:
    """A floating table with rules of booktabs; columns of numbers are set flush right."""
    kinds = "".join("r" if i and _numeric(row[i] for row in rows) else "l" for i in range(len(columns)))
    widths = [max(len(row[i]) for row in (columns, *rows)) for i in range(len(columns))]
    scaled = sum(widths) + 2 * len(widths) > WIDE
    lines = [
        PREAMBLE + r"\begin{table}",
        r"  \centering",
        rf"  \caption{{{escaped(title)}}}",
        rf"  \label{{{label}}}",
        *([r"  \resizebox{\linewidth}{!}{%"] if scaled else []),
        rf"  \begin{{tabular}}{{{kinds}}}",
        r"    \toprule",
        _line(columns),
        r"    \midrule",
        *map(_line, rows),
        r"    \bottomrule",
        r"  \end{tabular}" + ("}" if scaled else ""),
        r"\end{table}",
    ]
    return "\n".join(lines) + "\n"


def _line(cells: Sequence[str]) -> str:
    # A bracket right after \\ or & would be read as an option, so a cell that begins with one is braced.
    shown = [f"{{{text}}}" if text.startswith(("[", "*")) else text for text in map(escaped, cells)]
    return f"    {' & '.join(shown)} \\\\"


def _numeric(cells: Iterable[str]) -> bool:
    return all(_NUMBER.match(cell) for cell in cells)
