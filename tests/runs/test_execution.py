"""How a run is carried out is checked in one place."""

from __future__ import annotations

import pytest

from mohs.core.errors import UsageError
from mohs.runs.execution import Execution, default_workers
from mohs.runs.progress import Silent


def test_defaults_and_limits_are_allowed() -> None:
    assert Execution().worker_count == default_workers() >= 1
    for good in (Execution(), Execution(workers=0, pack_size=1), Execution(workers=4096, progress=Silent())):
        good.check()


@pytest.mark.parametrize(
    ("bad", "says"),
    [
        ({"workers": -1}, "workers is -1"),
        ({"workers": 1.5}, "workers is 1.5"),
        ({"workers": 5000}, "workers is 5000"),
        ({"pack_size": 0}, "pack_size is 0"),
        ({"device": "abacus"}, "device is 'abacus'"),
        ({"progress": "plane"}, "Did you mean 'plain'"),
    ],
)
def test_values_out_of_range_are_refused(bad: dict[str, object], says: str) -> None:
    with pytest.raises(UsageError, match=says):
        Execution(**bad).check()  # type: ignore[arg-type]
