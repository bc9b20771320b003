"""Where did a cell run? The machine, its processor and the versions of what computed: beside results, never in them.

Deep agents give other bits on another type of processor or with another version of torch, so a report says where the
places of its cells differ. Tabular agents give the same bits everywhere.
"""

from __future__ import annotations

import hashlib
import platform
import socket
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, fields
from functools import lru_cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from mohs.core.values import Json, content_hash

PACKAGES = ("mohs", "numpy", "numba", "llvmlite", "scipy", "torch", "gymnasium")
_CPU_INFO = Path("/proc/cpuinfo")


@dataclass(frozen=True)
class Place:
    """A machine and what computed on it.

    Attributes:
        host: its name.
        cpu: the model of its processor.
        flags: a hash of the instruction sets of the processor.
        system: the operating system and the version of Python.
        packages: names and versions.
        code: a hash of the source of mohs, its kernels among it.
        device: where deep agents trained.
    """

    host: str
    cpu: str
    flags: str
    system: str
    packages: tuple[tuple[str, str], ...]
    code: str
    device: str

    @property
    def key(self) -> str:
        """A content hash.

        Example:
            >>> from mohs.runs.places import this_place
            >>> len(this_place().key)
            32
        """
        return content_hash(self.to_json())

    def to_json(self) -> dict[str, Json]:
        return {**asdict(self), "packages": dict(self.packages)}

    @classmethod
    def from_json(cls, data: dict[str, Json]) -> Place:
        packages = data.get("packages")
        pairs = tuple((str(k), str(v)) for k, v in packages.items()) if isinstance(packages, dict) else ()
        texts = {f.name: str(data.get(f.name, "")) for f in fields(cls) if f.name != "packages"}
        return cls(packages=pairs, **texts)


@lru_cache(maxsize=8)
def this_place(device: str = "cpu") -> Place:
    """This machine."""
    cpu, flags = _cpu()
    system = f"{platform.system()} {platform.machine()}, Python {platform.python_version()}"
    return Place(socket.gethostname(), cpu, flags, system, _packages(), code_hash(), device)


@lru_cache(maxsize=1)
def code_hash() -> str:
    """A hash of all sources of mohs here, kernels among them."""
    package, digest = Path(__file__).resolve().parent.parent, hashlib.sha256()
    for path in sorted(package.rglob("*.py")):
        digest.update(str(path.relative_to(package)).encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()[:16]


def differences(places: Sequence[Place]) -> list[str]:
    """In what these places differ that may change bits, a clause for each; none where all are alike.

    Example:
        >>> from dataclasses import replace
        >>> from mohs.runs.places import differences, this_place
        >>> here = this_place()
        >>> differences([here, replace(here, host="other")])
        []
        >>> differences([here, replace(here, device="cuda")])
        ['2 devices (cpu, cuda)']
    """
    found = []
    if len(types := _each(f"{p.cpu}, {p.system.partition(',')[0]}, {p.flags}" for p in places)) > 1:
        found.append(f"{len(types)} types of processor ({'; '.join(_each(p.cpu for p in places))})")
    for package in sorted({name for p in places for name, _ in p.packages} - {"mohs"}):
        versions = _each(dict(p.packages).get(package, "none") for p in places)
        if len(versions) > 1:
            found.append(f"{len(versions)} versions of {package} ({', '.join(versions)})")
    if len(pythons := _each(p.system.rpartition(" ")[2] for p in places)) > 1:
        found.append(f"{len(pythons)} versions of Python ({', '.join(pythons)})")
    if len(codes := _each(f"{dict(p.packages).get('mohs', '')} {p.code[:8]}" for p in places)) > 1:
        found.append(f"{len(codes)} versions of mohs ({', '.join(codes)})")
    if len(devices := _each(p.device for p in places)) > 1:
        found.append(f"{len(devices)} devices ({', '.join(devices)})")
    return found


def sentence(places: Sequence[Place]) -> str:
    """The clauses of `differences` as a sentence; empty where there are none.

    Example:
        >>> from mohs.runs.places import sentence, this_place
        >>> sentence([this_place()])
        ''
    """
    found = differences(places)
    return f"The runs were carried out on {', '.join(found)}." if found else ""


def processors(places: Sequence[Place]) -> str:
    """What computed, for the methods of a paper; empty where it is not known.

    Example:
        >>> from dataclasses import replace
        >>> from mohs.runs.places import processors, this_place
        >>> processors([replace(this_place(), cpu="Z80"), replace(this_place("cuda"), cpu="8086")])
        'Processors: 8086, Z80; devices: cpu, cuda.'
    """
    if not places:
        return ""
    models, devices = _each(p.cpu for p in places), _each(p.device for p in places)
    extra = f"; devices: {', '.join(devices)}" if devices != ["cpu"] else ""
    return f"{'Processor' if len(models) == 1 else 'Processors'}: {', '.join(models)}{extra}."


def _each(texts: Iterable[str]) -> list[str]:
    return sorted(set(texts))


def _cpu() -> tuple[str, str]:
    """The model of the processor, and a hash of its instruction sets."""
    values: dict[str, str] = {}
    try:
        for line in _CPU_INFO.read_text().splitlines():
            name, _, value = line.partition(":")
            values.setdefault(name.strip().lower(), value.strip())
    except OSError:
        pass
    model = values.get("model name") or values.get("cpu model") or platform.processor() or platform.machine()
    flags = " ".join(sorted((values.get("flags") or values.get("features") or "").split()))
    return model, hashlib.sha256(flags.encode()).hexdigest()[:16]


def _packages() -> tuple[tuple[str, str], ...]:
    found = []
    for name in PACKAGES:
        try:
            found.append((name, version(name)))
        except PackageNotFoundError:
            found.append((name, "none"))
    return tuple(found)
