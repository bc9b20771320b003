"""How is a command found, and what becomes of an error? The entry point of all commands."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import Annotated, Any, NoReturn

import typer

from mohs.cli import listings, studies, work
from mohs.cli.last_resort import sentence, wants_traceback
from mohs.cli.train import EXIT_INTERRUPTED, training_command
from mohs.core.errors import MohsError, UsageError
from mohs.core.printing import printable
from mohs.core.values import resolve
from mohs.protocols.protocol import Protocol, protocols, skipping_plugin

EXIT_UNEXPECTED, EXIT_USAGE = 1, 2
COMMANDS = (
    listings.envs, listings.dials, listings.agents, listings.families, studies.status, studies.report, studies.export,
    studies.recover, studies.merge, work.work,
)  # fmt: skip


def make_app() -> typer.Typer:
    """The commands that all studies share, and those of every protocol."""
    app = typer.Typer(name="mohs", add_completion=False, pretty_exceptions_enable=False)
    app.callback(invoke_without_command=True)(mohs)
    for command in COMMANDS:
        app.command()(command)
    groups: dict[str, typer.Typer] = {}
    known = {command.__name__ for command in COMMANDS}
    for protocol in protocols().values():
        found: dict[str, Callable[..., Any]] = {}
        with skipping_plugin(protocol):
            found = _commands(protocol, known)
        known |= found.keys()
        for words, function in found.items():
            *group, name = words.split()
            if group and group[0] not in groups:
                groups[group[0]] = typer.Typer(help=protocol.text)
                groups[group[0]].callback(invoke_without_command=True)(show_help)
                app.add_typer(groups[group[0]], name=group[0])
            (groups[group[0]] if group else app).command(name)(function)
    return app


def _commands(protocol: Protocol, known: set[str]) -> dict[str, Callable[..., Any]]:
    """The commands of a protocol by their words, imported."""
    found = {words: resolve(target) for words, target in protocol.commands.items()}
    if protocol.ask is not None:
        found[protocol.command or protocol.name] = training_command(protocol)
    if taken := known & found.keys():
        raise UsageError(f"the protocol {protocol.name} has the command `mohs {min(taken)}`, which exists already.")
    return found


def main(arguments: Sequence[str] | None = None) -> None:
    """The entry point: an error of ours is one sentence and exit code 2, any other one a log file and exit code 1."""
    try:
        code = make_app()(args=None if arguments is None else list(arguments), standalone_mode=False)
    except MohsError as error:
        _fail(str(error))
    except OSError as error:
        _fail(f"{error.filename or 'a file'} cannot be used: {error.strerror or error}.")
    except KeyboardInterrupt:
        print("mohs: interrupted", file=sys.stderr)
        sys.exit(EXIT_INTERRUPTED)
    except Exception as error:
        # typer's own errors (an unknown option, a missing argument) know how to show themselves.
        if hasattr(error, "format_message"):
            _fail(str(error.format_message()))
        if wants_traceback():
            raise
        _fail(sentence(error, sys.argv[1:] if arguments is None else arguments), EXIT_UNEXPECTED)
    else:
        sys.exit(code if isinstance(code, int) else 0)


def _fail(message: str, code: int = EXIT_USAGE) -> NoReturn:
    print(f"mohs: {printable(message)}", file=sys.stderr)
    sys.exit(code)


def show_help(context: typer.Context) -> None:
    if context.invoked_subcommand is None:
        print(context.get_help())


def mohs(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Print the version.")] = False,
) -> None:
    """Measures what makes a reinforcement-learning task hard and where an agent breaks."""
    if version:
        from mohs import __version__

        print(__version__)
    else:
        show_help(context)
