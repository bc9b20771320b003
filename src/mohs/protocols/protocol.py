"""Which protocols are there? One record each: what it asks, plans, concludes and shows, by name.

A protocol is a folder of this package whose `__init__` holds its record as `PROTOCOL`. Another package adds one through
the entry points `mohs.protocols`. Nothing outside a protocol's folder knows its name.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast
from typing import Protocol as Interface

from mohs.core.arguments import checked, checked_record
from mohs.core.errors import UsageError, unknown
from mohs.core.plugins import load, skipping
from mohs.core.values import Json, resolve

if TYPE_CHECKING:
    from mohs.runs.plan import Track
    from mohs.runs.results import Results

GROUP = "mohs.protocols"


@checked_record
@dataclass(frozen=True)
class Protocol:
    """A protocol as data. Every part is named as `module:attribute`, so that a record imports nothing.

    Args:
        name: as the store keeps it with its studies.
        text: one sentence that says what it answers.
        page: `verdict -> Page`, the HTML report.
        summary: `verdict -> tables` that the terminal shows below the sentences.
        methods: `verdict -> Methods`, the paragraph for a paper; by default the facts of the page.
        study: the class of its studies, with `name`, `to_json` and `from_json`. A protocol without one trains nothing.
        plan: `study -> Plan`.
        verdict: `study, Results -> Verdict`.
        ask: the options of its command, `... -> study` (or `Request`), as typer reads them.
        command: the words that run it on the command line; its name by default.
        prepare: `study, say -> None`, what must be there before workers start; `say` shows a line of progress.
        gate: `study -> Gate`, which tracks run first, and whether the others are needed.
        commands: further commands of this protocol, by their words.

    Example:
        >>> import mohs
        >>> mohs.Protocol("mine", "What do I ask?", page="my_package:page", summary="my_package:summary").ask is None
        True
    """

    name: str
    text: str
    page: str
    summary: str
    study: str | None = None
    plan: str | None = None
    verdict: str | None = None
    ask: str | None = None
    command: str = ""
    prepare: str | None = None
    gate: str | None = None
    methods: str | None = None
    commands: Mapping[str, str] = field(default_factory=dict)

    def part(self, name: str) -> Callable[..., Any]:
        """The part of this name, imported.

        Args:
            name: a field, such as `plan` or `verdict`.

        Returns:
            The function or class.

        Raises:
            UsageError: the protocol has no such part.

        Example:
            >>> from mohs.protocols.protocol import find_protocol
            >>> find_protocol("diagnose").part("study").__name__
            'DiagnosisStudy'
        """
        target = getattr(self, name)
        if target is None:
            raise UsageError(f"the protocol {self.name} has no {name}.")
        return resolve(target)


def training_protocol(package: str, name: str, text: str, study: str, **more: Any) -> Protocol:
    """The record of a protocol that trains, whose folder has the usual modules: study, verdict, page and command.

    Args:
        package: the name of the folder's package.
        name: as the store keeps it with its studies.
        text: one sentence that says what it answers.
        study: the name of the class of its studies.
        **more: further fields of the record.
    """
    modules = {"study": f"study:{study}", "plan": "study:plan", "verdict": "verdict:verdict", "page": "page:page",
               "summary": "page:summary", "ask": "command:ask"}  # fmt: skip
    parts: dict[str, Any] = {part: f"{package}.{target}" for part, target in modules.items()}
    return Protocol(name, text, **parts, **more)


class Study(Interface):
    """What a protocol asks, as data."""

    @property
    def name(self) -> str: ...

    def to_json(self) -> dict[str, Json]: ...


@dataclass(frozen=True)
class Stop:
    """Why a study ended before its last stage: a sentence, what may help, and both as data.

    Attributes:
        reason: What was found, one sentence.
        advice: What may help, one sentence or two.
        data: The numbers behind them, for JSON.
        answered: Whether the study ended because its question is answered, and not because there is none to ask.
    """

    reason: str
    advice: str
    data: Mapping[str, Json] = field(default_factory=dict)
    answered: bool = False

    @property
    def sentence(self) -> str:
        """Reason and advice."""
        return f"{self.reason} {self.advice}".rstrip()

    def to_json(self) -> dict[str, Json]:
        """As plain data."""
        return {"reason": self.reason, "advice": self.advice, **self.data}


@dataclass(frozen=True)
class Gate:
    """The tracks of a study that run first, stage by stage, and the rule that reads the results after each stage.

    Attributes:
        stages: The tracks of each stage. All other tracks run last.
        decide: None to go on with the next stage, or why to stop.
    """

    stages: tuple[tuple[Track, ...], ...]
    decide: Callable[[Results], Stop | None]


@dataclass(frozen=True)
class Request:
    """What a command asks for beside a study: directories to write to, and what to do with the verdict.

    `note` is a line about what will run, printed when all checks have passed.
    """

    study: Study
    directories: tuple[Path, ...] = ()
    after: Callable[[Any], object] | None = None
    note: str = ""


_REGISTERED: dict[str, Protocol] = {}


@checked
def register_protocol(protocol: Protocol) -> None:
    """Adds a protocol, or replaces the one of its name.

    Args:
        protocol: its record.

    Example:
        >>> import mohs
        >>> from mohs.protocols.protocol import find_protocol
        >>> card = find_protocol("card")
        >>> mohs.register_protocol(card)
        >>> find_protocol("card") is card
        True
    """
    _REGISTERED[protocol.name] = protocol


def protocols() -> dict[str, Protocol]:
    """All protocols by name: those of the package, of plugins, and those that were registered."""
    plugins = {name: protocol for name, (_, protocol) in _plugins().items()}
    return {**_built_in(), **plugins, **_REGISTERED}


def skipping_plugin(protocol: Protocol) -> AbstractContextManager[None]:
    """While parts of a protocol are imported: what they raise is one warning if it is of a plugin, an error if not."""
    point, found = _plugins().get(protocol.name, ("", None))
    return skipping(GROUP, point) if found is protocol else nullcontext()


def find_protocol(name: str) -> Protocol:
    """The protocol of this name.

    Raises:
        UsageError: there is none of this name.
    """
    known = protocols()
    if name not in known:
        raise unknown("protocol", name, known)
    return known[name]


def protocol_of(study: object) -> Protocol:
    """The protocol whose studies are of this type. Those that name a module of the type are imported first."""
    modules = {kind.__module__ for kind in type(study).__mro__}
    known = [(protocol.study, protocol) for protocol in protocols().values() if protocol.study is not None]
    for _, protocol in sorted(known, key=lambda pair: pair[0].partition(":")[0] not in modules):
        if isinstance(study, cast(type, protocol.part("study"))):
            return protocol
    raise UsageError(f"{type(study).__name__} is not the study of any protocol: {', '.join(protocols())}.")


@cache
def _built_in() -> dict[str, Protocol]:
    package = __name__.rpartition(".")[0]
    folders = [m.name for m in pkgutil.iter_modules([str(Path(__file__).parent)]) if m.ispkg]
    records = [importlib.import_module(f"{package}.{folder}").PROTOCOL for folder in folders]
    return {record.name: record for record in records}


@cache
def _plugins() -> dict[str, tuple[str, Protocol]]:
    """The protocols of installed packages by name, each with the name of its entry point."""
    found: dict[str, tuple[str, Protocol]] = {}
    for point, record in load(GROUP):
        with skipping(GROUP, point):
            if not isinstance(record, Protocol):
                raise UsageError(f"{record!r} is not a Protocol.")
            if record.name in _built_in():
                raise UsageError(f"{record.name} is a protocol of mohs: choose another name.")
            found[record.name] = point, record
    return found
