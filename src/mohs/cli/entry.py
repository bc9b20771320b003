"""How is a command found, and what becomes of an error? The entry point of all commands."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Annotated

import typer

from mohs.cli import card, challenge, correlate, diagnose, lifelong, listings, run, studies
from mohs.cli.options import EXIT_INTERRUPTED, EXIT_USAGE
from mohs.core.errors import MohsError

app = typer.Typer(
    name="mohs",
    add_completion=False,
    pretty_exceptions_enable=False,
)
COMMANDS = (
    listings.envs, listings.dials, listings.agents, card.card, diagnose.diagnose, run.studies, run.run,
    lifelong.curricula, lifelong.lifelong,
    studies.status, studies.report, studies.compare, correlate.correlate, studies.export,
)  # fmt: skip
for command in COMMANDS:
    app.command()(command)
app.add_typer(challenge.challenge, name="challenge")


def main(arguments: Sequence[str] | None = None) -> None:
    """The entry point: an error of ours is one sentence and exit code 2."""
    try:
        code = app(args=None if arguments is None else list(arguments), standalone_mode=False)
    except MohsError as error:
        _fail(str(error))
    except OSError as error:
        _fail(f"{error.filename or 'a file'} cannot be used: {error.strerror or error}.")
    except KeyboardInterrupt:
        print("mohs: stopped", file=sys.stderr)
        sys.exit(EXIT_INTERRUPTED)
    except Exception as error:
        # typer's own errors (an unknown option, a missing argument) know how to show themselves.
        if not hasattr(error, "format_message"):
            raise
        _fail(str(error.format_message()))
    else:
        sys.exit(code if isinstance(code, int) else 0)


def _fail(message: str) -> None:
    print(f"mohs: {message}", file=sys.stderr)
    sys.exit(EXIT_USAGE)


@app.callback(invoke_without_command=True)
def mohs(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Print the version.")] = False,
) -> None:
    """Measures what makes a reinforcement-learning task hard and where an agent breaks."""
    if version:
        from mohs import __version__

        print(__version__)
    elif context.invoked_subcommand is None:
        print(context.get_help())
