"""What can be typed after `mohs card`?"""

from __future__ import annotations

from typing import Annotated

import typer

from mohs.protocols.options import AsJson, Out, Paper, Png, SingleFile

Budget = Annotated[
    int | None,
    typer.Option(
        help="Most environment steps charged to a run of GORP: 10 million; with --analytic, an effective horizon of 8."
    ),
]
Analytic = Annotated[
    bool,
    typer.Option(
        "--analytic",
        help="Draw GORP's choices from their exact distribution instead of playing, where the return is determined by "
        "the final state.",
    ),
]


def card(
    target: Annotated[
        list[str],
        typer.Argument(help="An id with name=value words, a Gymnasium id, or the path of an npz file; or several."),
    ],
    horizon: Annotated[int | None, typer.Option(help="Steps of an episode.")] = None,
    gamma: Annotated[float | None, typer.Option(help="Discount of the learner; returns are undiscounted.")] = None,
    sticky: Annotated[float | None, typer.Option(help="Also with sticky actions of this probability.")] = None,
    explore: Annotated[int, typer.Option(help="List up to so many states of a Gymnasium environment.")] = 0,
    runs: Annotated[int, typer.Option(help="Runs of GORP for each probe.")] = 100,
    budget: Budget = None,
    analytic: Analytic = False,
    seed: Annotated[int, typer.Option(help="Seed of GORP and of rollouts.")] = 0,
    out: Out = None,
    png: Png = False,
    paper: Paper = None,
    single_file: SingleFile = False,
    as_json: AsJson = False,
) -> None:
    """Tell how hard a task is and why, before any training: exact where it is finite."""
    from mohs.protocols.card.card import card as make_card
    from mohs.protocols.card.record import Cards
    from mohs.protocols.card.targets import read_targets, resolve
    from mohs.protocols.output import Output, deliver
    from mohs.report.terminal import announce_compilation, stages

    targets = [resolve(name, params, explore=explore) for name, params in read_targets(target)]
    name = "-".join(["card", *(found.name.removesuffix(".npz") for found in targets)])
    output = Output.of(out, name, png, as_json, paper, single_file)
    output.check()
    announce_compilation()
    with stages() as say:
        cards = [
            make_card(
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
    deliver(cards[0] if len(cards) == 1 else Cards(tuple(cards)), output)
