"""How is numba code compiled? One decorator for all kernels, one cache that cannot go stale.

numba's cache does not notice an edited function that a kernel calls from another module. So the name of the cache
directory is a hash of all sources of kernels: the engines, the modules that import this one, and `core/seeding.py`.
Reference counting is off (`_nrt`), so that small inlined functions cost nothing. Kernels must therefore not allocate.
"""

from __future__ import annotations

import hashlib
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, cast

import numba
import numba.core.config as settings

from mohs.core.files import private_directory
from mohs.core.kernel_cache import KernelCache

# numba infers the types of the arguments, so a kernel accepts anything.
Compiled = Callable[..., Any]


def kernel(function: Compiled) -> Compiled:
    """A compiled entry point. It takes arrays and scalars and allocates nothing."""
    return _compile(function, cache=True, nogil=True, _nrt=False, error_model="numpy")


def law(function: Compiled) -> Compiled:
    """A small function that is inlined into the kernels that call it."""
    return _compile(function, inline="always", _nrt=False, error_model="numpy")


def routine(function: Compiled) -> Compiled:
    """A function that kernels call. It is compiled by itself, so kernels that share it compile sooner."""
    return _compile(
        function,
        cache=True,
        nogil=True,
        _nrt=False,
        error_model="numpy",
        no_cpython_wrapper=True,
        no_cfunc_wrapper=True,
    )


def entry(function: Compiled, *examples: Any) -> Compiled:
    """The machine code of a kernel for arguments of exactly these types, without numba's dispatch.

    Dispatch inspects the type of every argument, which takes longer than a short kernel. Types are not checked: the
    caller must pass the right ones.
    """
    typeof = cast(Compiled, numba.typeof)
    return cast(Compiled, cast(Any, function).compile(tuple(typeof(example) for example in examples)))


def _compile(function: Compiled, **options: Any) -> Compiled:
    # numba reads its cache directory when a function is decorated; other users of numba keep theirs.
    before = settings.__dict__["CACHE_DIR"]
    settings.__dict__["CACHE_DIR"] = str(cache_directory())
    try:
        cached = options.pop("cache", False)
        compiled: Any = numba.njit(**options)(function)
        if cached:
            compiled._cache = KernelCache(function)
        return cast(Compiled, compiled)
    finally:
        settings.__dict__["CACHE_DIR"] = before


def kernel_sources() -> list[Path]:
    """The files that kernels are made of."""
    package = Path(__file__).resolve().parent.parent
    named = {package / "core" / "seeding.py", *(package / "engines").rglob("*.py")}
    return sorted(p for p in package.rglob("*.py") if p in named or b"mohs.core.kernel" in p.read_bytes())


@cache
def cache_directory() -> Path:
    """The directory of compiled kernels; a temporary one if the user's cache is not writable, or is open to others."""
    digest = hashlib.sha256()
    for path in kernel_sources():
        digest.update(path.read_bytes())
    name = f"kernels-{digest.hexdigest()[:16]}"
    # What `mkdtemp` makes is private, too, but of this process alone.
    return private_directory(name) or Path(tempfile.mkdtemp(prefix="mohs-kernels-"))
