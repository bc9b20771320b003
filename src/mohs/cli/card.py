"""How hard is a task? The command that shows the card of one task or several."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from mohs.cli.options import REPORTS, AsJson, Png
from mohs.cli.output import announce_compilation, check_directory, print_json, slug
from mohs.report.terminal import show_cards, stages

Budget = Annotated[
    int | None,
    typer.Option(help="Most steps charged to a run of GORP: 10 million, or with --analytic an effective horizon of 8."),
]
Analytic = Annotated[
    bool,
    typer.Option(
        "--analytic",
        help="Compute GORP's choices analytically instead of playing; needs returns determined by the final state.",
    ),
]


def card(
    target: Annotated[
        list[str],
        typer.Argument(help="An id with name=value words, a Gymnasium id, or the path of an npz file; or several."),
    ],
    horizon: Annotated[int | None, typer.Option(help="Steps of an episode.")] = None,
    gamma: Annotated[float | None, typer.Option(help="Discount of the learner; returns are judged without.")] = None,
    sticky: Annotated[float | None, typer.Option(help="Also with sticky actions of this probability.")] = None,
    explore: Annotated[int, typer.Option(help="List up to so many states of a Gymnasium environment.")] = 0,
    runs: Annotated[int, typer.Option(help="Runs of GORP for each probe.")] = 100,
    budget: Budget = None,
    analytic: Analytic = False,
    seed: Annotated[int, typer.Option(help="Seed of GORP and of rollouts.")] = 0,
    out: Annotated[Path | None, typer.Option(help="Directory of the HTML card.")] = None,
    png: Png = False,
    as_json: AsJson = False,
) -> None:
    """Tell how hard a task is and why, before any training: exact where it is finite."""
    from mohs.protocols.card import card as find_card
    from mohs.protocols.targets import read_targets, resolve
    from mohs.report.cards import write_cards

    targets = [resolve(name, params, explore=explore) for name, params in read_targets(target)]
    directory = out or REPORTS / slug("-".join(["card", *(found.name.removesuffix(".npz") for found in targets)]))
    check_directory(directory)
    announce_compilation()
    with stages() as say:
        cards = [
            find_card(
                found,
                horizon=horizon,
                gamma=gamma,
                sticky=sticky,
                runs=runs,
                budget=budget,
                analytic=analytic,
                play_seed=seed,
                say=say,
            )
            for found in targets
        ]
    path = write_cards(cards, directory, png=png)
    if as_json:
        found = [made.to_json() for made in cards]
        print_json(found[0] if len(found) == 1 else found)
    else:
        show_cards(cards, path)
