"""Whatever is passed to a public function or class, it works or says in one sentence what is wrong."""

from __future__ import annotations

import inspect
import math
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest

import mohs
from mohs import MohsError
from mohs.core.arguments import check
from mohs.protocols import conduct

HOSTILE: list[Any] = [
    None, True, -1, 0, 3, 10**19, 10**400, 0.5, math.nan, math.inf, 5e-324, "", "x", "\x1b[31m", [], [1], (), {},
    {"a": 1}, set(), object(), np.int64(5), np.zeros(2), np.array(None), b"", range(3), int, 1j,
]  # fmt: skip
RUN = {"workers": 0, "progress": "silent"}
# Arguments with which each function gets as far as it can; what trains stops before it trains.
GIVEN: dict[str, tuple[tuple[Any, ...], dict[str, Any]]] = {
    "card": (("toy/discrete",), {"max_episode_steps": 5}),
    "challenge": (("gorp",), RUN),
    "compare": (("a", "b"), {}),
    "correlate": ((["a", "b"],), {}),
    "diagnose": (("random",), {"dials": ["delay"], "seeds": 1, "budget": 200, **RUN}),
    "effects": ((mohs.read_family("cartpole"),), {}),
    "family": ((["random"],), {"env": "control/cartpole", "vary": {"length": [0.5, 1.0]}, "steps": 400, **RUN}),
    "inject": ((gymnasium.make("CartPole-v1"),), {}),
    "lcd": (("random",), {"env": "arcade/collect", **RUN}),
    "lifelong": (("random",), {"curriculum": "goals", **RUN}),
    "load": (("sqlite:///absent.db",), {}),
    "make": (("toy/discrete",), {}),
    "make_vec": (("toy/discrete",), {"num_envs": 2}),
    "read_family": (("cartpole",), {}),
    "read_study": (("delay",), {}),
    "run": ((mohs.read_study("delay"),), RUN),
    "table": (("toy/discrete",), {}),
}


class TrainedError(MohsError):
    """The call was good: it would train now."""


def public() -> Iterator[tuple[str, Callable[..., Any]]]:
    for name in mohs.__all__:
        found = getattr(mohs, name)
        if inspect.ismodule(found) or (inspect.isclass(found) and issubclass(found, BaseException)):
            continue
        yield name, found
        for method, part in vars(found).items() if inspect.isclass(found) else ():
            if isinstance(part, classmethod) and not method.startswith("_"):
                yield f"{name}.{method}", getattr(found, method)


PUBLIC = dict(public())


def calls(name: str) -> Iterator[tuple[tuple[Any, ...], dict[str, Any]]]:
    """Each hostile value in the place of each argument; required ones that are not given get the same value."""
    parameters = list(inspect.signature(PUBLIC[name]).parameters.values())
    first, given = GIVEN.get(name, ((), {}))
    by_name = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    for place, parameter in enumerate(parameters):
        for value in HOSTILE:
            args, named = list(first), dict(given)
            if parameter.kind is parameter.VAR_POSITIONAL:
                args = [value, value]
            elif parameter.kind is parameter.VAR_KEYWORD:
                named["zzz"] = value
            elif place < len(args):
                args[place] = value
            elif parameter.kind in by_name:
                named[parameter.name] = value
            needed = [(i, p) for i, p in enumerate(parameters) if p.default is p.empty and i >= len(args)]
            args += [value for _, p in needed if p.kind is p.POSITIONAL_ONLY]
            named |= {p.name: value for _, p in needed if p.kind in by_name and p.name not in named}
            yield tuple(args), named


@pytest.fixture
def untrained(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Everything is checked and planned; nothing is trained, and no card is measured for long."""

    def stop(*args: Any, **given: Any) -> None:
        raise TrainedError("it would train.")

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(conduct, "carry_out", stop)


@pytest.mark.parametrize("name", [name for name in PUBLIC if name not in ("card", "challenge", "Verdict")])
def test_a_wrong_argument_is_one_sentence(untrained: None, name: str) -> None:
    wrong = []
    with warnings.catch_warnings(action="ignore"):
        for args, named in calls(name):
            began = time.monotonic()
            try:
                PUBLIC[name](*args, **named)
            except MohsError as error:
                sentence = str(error)
                if (
                    "\n" in sentence
                    or not sentence.endswith((".", "?", ")"))
                    or len(sentence) > 1500
                    or "\x1b" in sentence
                ):
                    wrong.append((named, sentence))
            except Exception as error:
                wrong.append((str((args, named))[:200] if 10**400 not in named.values() else "10**400", repr(error)))
            if time.monotonic() - began > 20:
                wrong.append((str(named)[:200], "it takes too long"))
    assert wrong == []


@pytest.mark.slow
def test_a_wrong_argument_of_a_card_is_one_sentence(untrained: None) -> None:
    for args, named in calls("card"):
        with suppress(MohsError):
            mohs.card(*args, **named)


def test_a_sentence_names_the_argument_and_what_is_allowed() -> None:
    for call, words in (
        (lambda: mohs.diagnose(math.nan), "agent is nan, but must be a"),
        (lambda: mohs.table([]), "env is [], but must be"),
        (lambda: mohs.diagnose("random", dials=3), "dials is 3, but must be a list"),
        (lambda: mohs.diagnose("random", sedes=3), "unknown argument of diagnose 'sedes'. Did you mean 'seeds'?"),
        (lambda: mohs.diagnose("random", worker=3), "Did you mean 'workers'?"),
        (lambda: mohs.diagnose(), "missing a required argument: 'agent'"),
        (lambda: mohs.make_vec("toy/discrete", num_envs="2"), "num_envs is '2', but must be an integer or None"),
    ):
        with pytest.raises(mohs.UsageError) as caught:
            call()
        assert words in str(caught.value)


def test_what_fits_is_not_refused() -> None:
    """Numbers and arrays of NumPy are numbers and lists; floats that are whole are integers."""

    def function(
        a: int, b: float, c: list[str], d: dict[str, int], e: tuple[int, ...] | None, *f: str, **g: Any
    ) -> None:
        """Only its annotations count."""

    check(function, (np.int64(3), 4, np.array(["x"]), {"y": np.int32(2)}, None, "z"), {"other": object()})
    check(function, (3.0, np.float32(4), ("x",), {}, [1, 2]), {})


@pytest.mark.parametrize("env", ["toy/discrete", "toy/continuous", "control/cartpole"])
@pytest.mark.parametrize("method", ["reset", "step"])
def test_environments_refuse_what_they_cannot_take(env: str, method: str) -> None:
    """As Gymnasium's do: by its errors, or by ours."""
    made = mohs.make(env)
    made.reset(seed=0)
    for value in HOSTILE:
        for named in ({"seed": value}, {"options": value}) if method == "reset" else ({"action": value},):
            try:
                getattr(made, method)(**named)
            except (MohsError, gymnasium.error.Error, AssertionError):
                made.reset(seed=0)
