"""Which MDPs make the challenge, and are they here? The commands that list, build, show and verify them."""

from __future__ import annotations

import os
import sys
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from mohs.core.domain import Integer
from mohs.core.errors import UsageError
from mohs.protocols.card.command import Analytic, Budget
from mohs.protocols.card.command import card as show_card
from mohs.protocols.options import AsJson, Paper, Png, SingleFile, Workers
from mohs.report.files import check_directory
from mohs.report.terminal import announce_compilation, print_json, show_table, stages

if TYPE_CHECKING:
    from mohs.tables.challenge.catalogue import CatalogueEntry


class TableState(StrEnum):
    """How a table on this machine compares with the checksum of the list."""

    SAME = "same"
    DIFFERS = "differs"
    UNREADABLE = "unreadable"
    UNLISTED = "unlisted"
    NOT_BUILT = "not_built"

    @property
    def wrong(self) -> bool:
        """Whether the table is not the one of the list."""
        return self in (TableState.DIFFERS, TableState.UNREADABLE)


STATE_TEXTS = {
    TableState.SAME: "same",
    TableState.DIFFERS: "differs",
    TableState.UNREADABLE: "differs: it cannot be read",
    TableState.UNLISTED: "sound, but no checksum is listed",
    TableState.NOT_BUILT: "not built",
}
Ids = Annotated[list[str] | None, typer.Argument(help="Ids of MDPs; by default all of the challenge.")]
EXIT_DIFFERS = 1


def list_mdps(
    every: Annotated[bool, typer.Option("--all", help="Also those that the filter dropped.")] = False,
    as_json: AsJson = False,
) -> None:
    """List the MDPs of the challenge and what is known of them."""
    from dataclasses import asdict

    from mohs.tables.challenge.cache import is_stored
    from mohs.tables.challenge.catalogue import catalogue, challenge

    found = catalogue() if every else challenge()
    if as_json:
        print_json([{**asdict(mdp), "built": is_stored(mdp.id)} for mdp in found])
        return
    more = ["status"] if every else []
    columns = ("MDP", *more, "states", "actions", "T", "optimum", "min k", "effective horizon", "guessing")
    rows = [(mdp.id, *([mdp.status] if every else []), *_row(mdp)) for mdp in found]
    show_table(f"The Effective Horizon Challenge: {len(challenge())} MDPs of {len(catalogue())} tried", columns, rows)


def _row(mdp: CatalogueEntry) -> tuple[str, ...]:
    numbers = (mdp.states, mdp.actions, mdp.horizon, mdp.optimal_return, mdp.min_k)
    shown = (
        "–" if number is None else f"{number:,g}" if isinstance(number, float) else f"{number:,}" for number in numbers
    )
    return (*shown, mdp.length, "–" if mdp.guess_steps is None else f"{mdp.guess_steps:.1e}")


def build(
    ids: Ids = None,
    smallest: Annotated[int | None, typer.Option(help="Only so many, those with fewest states.")] = None,
    workers: Workers = None,
) -> int:
    """Build the tables of MDPs and keep them; those that are there already are not built again."""
    from mohs.tables.challenge.building import build_all
    from mohs.tables.challenge.cache import directory, is_stored

    wanted = [mdp.id for mdp in _chosen(ids, smallest)]
    missing = sum(not is_stored(id) for id in wanted)
    announce_compilation()
    done = failed = 0
    with stages() as say:
        for event in build_all(
            wanted, os.cpu_count() or 1 if workers is None else Integer(1).parse("workers", workers)
        ):
            rate = event.count / event.seconds if event.seconds else 0
            said = (
                f"{event.count:,} {event.what} in {event.seconds:.1f} s ({rate:,.0f}/s), {event.memory / 2**30:.1f} GB"
            )
            if event.error:
                failed += 1
                print(f"mohs: {event.id} could not be built: {event.error}", file=sys.stderr)
            elif event.done:
                done += 1
                print(f"{event.id}: {said} [{done}/{missing}]", file=sys.stderr)
            else:
                say(f"{event.id}: {said} [{done}/{missing}]")
    print(f"{len(wanted)} MDPs are in {directory(wanted[0]).parent}, {done} of them new.")
    return EXIT_DIFFERS if failed else 0


def show(
    id: Annotated[str, typer.Argument(help="The id of an MDP (mohs challenge list has all).")],
    out: Annotated[Path | None, typer.Option(help="Also write a picture of the start here (PNG).")] = None,
    as_json: AsJson = False,
) -> None:
    """Show what is known of an MDP, and its start."""
    from dataclasses import asdict

    from mohs.tables.challenge.cache import stored
    from mohs.tables.challenge.catalogue import catalogue_entry

    mdp = catalogue_entry(id)
    if out is not None:
        check_directory(out.parent)
    if as_json:
        print_json(asdict(mdp))
    else:
        print(f"{mdp.id}: {mdp.title} ({mdp.status})\n")
        found = stored(id)
        board = found.cells[found.start].reshape(found.shape)
        print("\n".join("  " + "".join(found.codes[code] for code in row) for row in board), "\n")
        facts = {
            "states": found.states, "actions": f"{found.actions} {' '.join(found.action_names)}".strip(),
            "horizon T": mdp.horizon, "optimal return": mdp.optimal_return, "random return": mdp.random_return,
            "probability of guessing": mdp.p_opt, "steps of guessing": mdp.guess_steps, "min k": mdp.min_k,
            "effective horizon": mdp.length, "GORP's budget": mdp.gorp_budget, "checksum": found.checksum,
        }  # fmt: skip
        width = max(map(len, facts))
        for name, value in facts.items():
            print(f"{name:<{width}}  {'–' if value is None else f'{value:,}' if isinstance(value, int) else value}")
    if out is not None:
        _draw(id, out)


def _draw(id: str, out: Path) -> None:
    from PIL import Image

    from mohs.envs.make import make

    env = make("challenge", mdp=id, render_mode="rgb_array")
    env.reset(seed=0)
    Image.fromarray(env.render()).save(out)  # type: ignore[arg-type]
    env.close()


def card(
    id: Annotated[str, typer.Argument(help="The id of an MDP (mohs challenge list has all).")],
    sticky: Annotated[float | None, typer.Option(help="Also with sticky actions of this probability.")] = None,
    runs: Annotated[int, typer.Option(help="Runs of GORP for each probe.")] = 100,
    budget: Budget = None,
    analytic: Analytic = False,
    out: Annotated[Path | None, typer.Option(help="Directory of the HTML card.")] = None,
    png: Png = False,
    paper: Paper = None,
    single_file: SingleFile = False,
    as_json: AsJson = False,
) -> None:
    """Tell how hard an MDP is and why: its whole hardness card."""
    from mohs.tables.challenge.catalogue import catalogue_entry

    show_card(
        ["challenge", f"mdp={catalogue_entry(id).id}"], sticky=sticky, runs=runs, budget=budget, analytic=analytic,
        out=out, png=png, paper=paper, single_file=single_file, as_json=as_json,
    )  # fmt: skip


def verify(
    ids: Ids = None,
    rebuild: Annotated[bool, typer.Option("--rebuild", help="Build each again, and compare that too.")] = False,
    as_json: AsJson = False,
) -> int:
    """Compare the tables that are kept here with the checksums of the list."""
    from mohs.tables.challenge.build import build as make
    from mohs.tables.challenge.cache import checksum, is_there, packed
    from mohs.tables.challenge.grid import candidate

    found: dict[str, TableState] = {}
    rebuilt: dict[str, TableState] = {}
    with stages() as say:
        for mdp in _chosen(ids, None):
            say(f"verifying {mdp.id}")
            found[mdp.id] = _compared(mdp) if is_there(mdp.id) else TableState.NOT_BUILT
            if rebuild and mdp.checksum is not None:
                made = make(candidate(mdp.id))
                same = checksum(*packed(mdp.id, made), made.cells) == mdp.checksum
                rebuilt[mdp.id] = TableState.SAME if same else TableState.DIFFERS
    texts = {id: STATE_TEXTS[state] for id, state in found.items()}
    texts |= {id: f"{texts[id]}, rebuilt: {STATE_TEXTS[state]}" for id, state in rebuilt.items()}
    if as_json:
        print_json(texts)
    else:
        show_table("Checksums", ("MDP", "table"), list(texts.items()))
    return EXIT_DIFFERS if any(state.wrong for state in (*found.values(), *rebuilt.values())) else 0


def _compared(mdp: CatalogueEntry) -> TableState:
    from mohs.tables.challenge.cache import is_sound, read

    try:
        kept = read(mdp.id)
    except UsageError:
        return TableState.UNREADABLE
    if not is_sound(kept) or (mdp.checksum is not None and mdp.checksum != kept.checksum):
        return TableState.DIFFERS
    return TableState.SAME if mdp.checksum is not None else TableState.UNLISTED


def _chosen(ids: list[str] | None, smallest: int | None) -> list[CatalogueEntry]:
    from mohs.tables.challenge.catalogue import catalogue_entry, challenge

    found = [catalogue_entry(id) for id in dict.fromkeys(ids)] if ids else list(challenge())
    if not found:
        raise UsageError("the list has no MDPs.")
    if smallest is not None:
        found = sorted(found, key=lambda mdp: mdp.states or 0)[: Integer(1).parse("smallest", smallest)]
    return found
