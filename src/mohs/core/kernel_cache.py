"""What if a file of compiled kernels is damaged? It has a checksum, is deleted and compiled again.

numba keeps machine code as pickles, so reading one runs what it holds: see `files.private_directory`.
"""

from __future__ import annotations

import hashlib
import os
import pickle
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from numba.core.caching import FunctionCache, IndexDataCacheFile

_DIGEST = hashlib.sha256().digest_size


class KernelCache(FunctionCache):
    """The compiled versions of a function. One that cannot be read is deleted and compiled again."""

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__(function)
        stamp = self._impl.locator.get_source_stamp()
        self._cache_file = _CheckedFiles(self._cache_path, self._impl.filename_base, stamp)

    def save_overload(self, sig: Any, data: Any) -> None:
        with suppress(OSError):  # a full disk: the next process compiles again
            super().save_overload(sig, data)


class _CheckedFiles(IndexDataCacheFile):
    """Every file begins with the hash of what follows."""

    def _load_index(self) -> Any:
        try:
            found = self._read(self._index_path)
        except FileNotFoundError:
            return {}
        with suppress(Exception):
            version, stamp, overloads = found
            if (version, stamp) == (self._version, self._source_stamp):
                return overloads
        return {}

    def _save_index(self, overloads: Any) -> None:
        self._write(self._index_path, (self._version, self._source_stamp, overloads))

    def _load_data(self, name: str) -> Any:
        return self._read(self._data_path(name))

    def _save_data(self, name: str, data: Any) -> None:
        self._write(self._data_path(name), data)

    def _write(self, path: str, value: Any) -> None:
        raw = self._dump(value)
        with self._open_for_write(path) as file:
            file.write(hashlib.sha256(raw).digest() + raw)

    def _read(self, path: str) -> Any:
        """What a file holds; FileNotFoundError where there is none, or one that is damaged and is now deleted."""
        data = Path(path).read_bytes()
        raw = data[_DIGEST:]
        if hashlib.sha256(raw).digest() == data[:_DIGEST]:
            with suppress(Exception):  # another version of a library may have written it
                return pickle.loads(raw)
        with suppress(OSError):
            os.unlink(path)
        raise FileNotFoundError(path)
