"""How is a Sokoban level written? As text, one character for each cell (XSB).

`#` is a wall, `@` the player, `+` the player on a goal, `$` a box, `*` a box on a goal, `.` a goal, and a space, `-` or
`_` is floor. A file may hold several levels, with blank lines or lines that begin with `;` between them; the last such
line before a level is its title.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from mohs.core import reading
from mohs.core.errors import UsageError

Place = tuple[int, int]  # row, column

CODES = " #.$*@+"
WAYS = ((-1, 0), (1, 0), (0, -1), (0, 1))  # up, down, left, right
SHIPPED = Path(__file__).with_name("levels.txt")
_FLOOR = str.maketrans("-_", "  ")


@dataclass(frozen=True)
class Level:
    """A level that can be played: rows of equal length, written in `CODES`, the first one in this line of its text."""

    rows: tuple[str, ...]
    title: str = ""
    line: int = 1

    def __post_init__(self) -> None:
        if len(self.players) != 1:
            raise UsageError(f"{self} has {len(self.players) or 'no'} players, but must have one (@ or +).")
        if len(self.boxes) != len(self.goals):
            raise UsageError(
                f"{self} has {len(self.boxes)} boxes and {len(self.goals)} goals, but must have as many of both."
            )
        if set(self.boxes) == set(self.goals):
            raise UsageError(f"{self} has no box that is not on a goal yet.")
        rows, columns = self.shape
        for row, column in self.floor:
            if row in (0, rows - 1) or column in (0, columns - 1):
                raise UsageError(f"{self} is open: the player can leave the board in line {self.line + row}.")
        for row, _ in sorted({*self.boxes, *self.goals} - {*self.floor}):
            raise UsageError(f"{self} has a box or a goal behind walls in line {self.line + row}.")

    def __str__(self) -> str:
        return f"the level {self.title!r}" if self.title else f"the level in line {self.line}"

    @property
    def shape(self) -> tuple[int, int]:
        return len(self.rows), len(self.rows[0])

    @property
    def walls(self) -> list[Place]:
        return self._where("#")

    @property
    def players(self) -> list[Place]:
        return self._where("@+")

    @property
    def boxes(self) -> list[Place]:
        return self._where("$*")

    @property
    def goals(self) -> list[Place]:
        return self._where(".*+")

    @cached_property
    def floor(self) -> list[Place]:
        """The cells that walls do not keep the player from, in order."""
        (rows, columns), found = self.shape, self.players
        known = {*self.walls, *found}
        for row, column in found:  # which grows
            for down, right in WAYS:
                to = row + down, column + right
                if 0 <= to[0] < rows and 0 <= to[1] < columns and to not in known:
                    known.add(to)
                    found.append(to)
        return sorted(found)

    def _where(self, codes: str) -> list[Place]:
        return [(i, j) for i, row in enumerate(self.rows) for j, code in enumerate(row) if code in codes]


def shipped() -> tuple[Level, ...]:
    """The levels that come with this package, from small to large."""
    return read(SHIPPED)


def read(path: str | Path) -> tuple[Level, ...]:
    """The levels in a text file."""
    try:
        text = reading.text(path)
    except (OSError, ValueError) as error:
        raise UsageError(f"{path} cannot be read: {' '.join(str(error).split())}.") from error
    return parse(text)


def parse(text: str) -> tuple[Level, ...]:
    """The levels that a text describes, at least one."""
    levels: list[Level] = []
    rows: list[str] = []
    title = ""
    for number, line in enumerate([*text.splitlines(), ""], start=1):
        if line.strip() and not line.startswith(";"):
            rows.append(_row(line, number))
            continue
        if rows:
            width = max(map(len, rows))
            levels.append(Level(tuple(row.ljust(width) for row in rows), title, number - len(rows)))
            rows, title = [], ""
        if line.startswith(";"):
            title = line[1:].strip()
    if not levels:
        raise UsageError("there is no level in this text.")
    return tuple(levels)


def _row(line: str, number: int) -> str:
    row = line.rstrip().translate(_FLOOR)
    for code in row:
        if code not in CODES:
            raise UsageError(f"line {number} has {code!r}, but levels are made of spaces and of # . $ * @ + - _.")
    return row
