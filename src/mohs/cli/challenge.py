"""What can be done with the Effective Horizon Challenge? Its commands, each from a module of its own."""

from __future__ import annotations

import typer

from mohs.cli import challenge_run, challenge_tables

challenge = typer.Typer(help="MDPs that are small, short and shaped, and hard by their effective horizon.")
challenge.command("list")(challenge_tables.list_mdps)
for command in (
    challenge_tables.build,
    challenge_tables.show,
    challenge_tables.card,
    challenge_tables.verify,
    challenge_run.run,
):
    challenge.command()(command)


@challenge.callback(invoke_without_command=True)
def show_help(context: typer.Context) -> None:
    if context.invoked_subcommand is None:
        print(context.get_help())
