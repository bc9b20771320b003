"""How does a study become a verdict? One way for all protocols: check, plan, train what is missing, conclude."""

from __future__ import annotations

import warnings
from collections import Counter
from dataclasses import dataclass
from typing import Any, Unpack

from mohs.core.errors import MohsError, UsageError
from mohs.protocols.protocol import Protocol, Study, find_protocol, protocol_of
from mohs.protocols.verdict import Verdict
from mohs.runs.checks import check_plan
from mohs.runs.execute import Summary, execute
from mohs.runs.execution import DEFAULT_STORE, Execution, ExecutionOptions
from mohs.runs.plan import Plan
from mohs.runs.results import Results
from mohs.runs.status import failures, find
from mohs.runs.store import Store, check_store, open_store, sound


@dataclass(frozen=True)
class FailureReason:
    """Why some runs failed: the last line of the traceback, how many failed so, and one whole traceback."""

    reason: str
    count: int
    error: str


@dataclass(frozen=True)
class Conducted:
    """How a study was carried out; without a verdict where it was interrupted."""

    summary: Summary
    verdict: Verdict | None
    failed: tuple[FailureReason, ...]


def planned(study: Study, execution: Execution) -> Plan:
    """The plan of a study that can run: everything that can be checked before training is checked here, in order.

    Raises:
        UsageError: the device or the workers are not to be had, a task cannot be made, or an agent cannot play it.
        StoreError: the store cannot be read or written.
    """
    protocol = protocol_of(study)
    execution.check()
    check_store(execution.store)
    if protocol.prepare is not None:
        protocol.part("prepare")(study)
    plan: Plan = protocol.part("plan")(study)
    check_plan(plan)
    return plan


def carry_out(study: Study, plan: Plan, execution: Execution) -> Conducted:
    """Trains the cells of a plan that the store does not hold yet, and concludes from all of them."""
    with open_store(execution.store) as store:
        summary = execute(plan, store, execution)
        if summary.interrupted:
            return Conducted(summary, None, ())
        failed = _failed(store, plan.key) if summary.failed else ()
        results = Results.of(plan, dict(store.results(cell.key for cell in plan.cells)))
    verdict: Verdict = protocol_of(study).part("verdict")(study, results)
    return Conducted(summary, verdict, failed)


def run(study: Study, **execution: Unpack[ExecutionOptions]) -> Any:
    """Carries out a study of any protocol.

    Runs that the store holds are not run again, so the same call resumes an interrupted one.

    Args:
        study: what to run: `mohs.read_study("delay")`, for example, or the study of any protocol.
        **execution: `store`, `workers`, `pack_size`, `device`, `progress` (see `Execution`).

    Returns:
        The verdict of the study's protocol.

    Raises:
        UsageError: the study cannot be run.
        MohsError: every run failed. Where some failed, a warning gives the reasons.
        KeyboardInterrupt: it was interrupted; the same call resumes it.

    Example:
        >>> import mohs, tempfile
        >>> verdict = mohs.run(
        ...     mohs.read_study("examples/study.toml"), workers=0, progress="silent",
        ...     store=f"sqlite:///{tempfile.mkdtemp()}/results.db",
        ... )
        >>> verdict.missing
        0
    """
    how = Execution(**execution)
    conducted = carry_out(study, planned(study, how), how)
    if conducted.verdict is None:
        raise KeyboardInterrupt
    summary = conducted.summary
    if conducted.failed:
        reasons = "; ".join(f"{failed.count} × {failed.reason}" for failed in conducted.failed)
        text = f"{summary.failed} of {summary.cells} runs failed: {reasons}"
        if summary.failed == summary.cells:
            raise MohsError(f"{text}.")
        warnings.warn(text, RuntimeWarning, stacklevel=2)
    return conducted.verdict


def find_study(store: Store, name: str | None, protocol: str = "") -> str:
    """The key of a study by its name, its key or the beginning of that; the newest of all without a name.

    Raises:
        UsageError: the store holds no such study, or it is of another protocol.
    """
    if name is None:
        studies = store.studies()
        if not studies:
            raise UsageError(f"{store.name} holds no study yet.")
        return studies[-1].key
    found = find(store, name, protocol)
    if protocol and found.protocol != protocol:
        raise UsageError(
            f"{found.name!r} is a study of `mohs {_command(found.protocol)}`, not of `mohs {_command(protocol)}`."
        )
    return found.key


def stored_verdict(store: Store, key: str) -> Verdict:
    """The verdict on what a store holds of a study, finished or not."""
    record = store.study(key)
    protocol = find_protocol(record.protocol)
    with sound(store.name):
        study = protocol.part("study").from_json(record.options)  # type: ignore[attr-defined]
    if record.tracks:
        tracks, runs = record.tracks, store.runs(key)
    else:  # an older version of mohs did not keep them
        plan: Plan = protocol.part("plan")(study)
        tracks, runs = plan.tracks, list(plan.runs)
    results = Results.labelled(tracks, runs, dict(store.results(dict.fromkeys(runs))))
    verdict: Verdict = protocol.part("verdict")(study, results)
    return verdict


def load_verdict(study: str | None = None, *, store: str = DEFAULT_STORE) -> Verdict:
    """The verdict on what a store holds of a study, finished or not. Trains nothing.

    Args:
        study: its name, its agent, its key or the beginning of that; by default the newest.
        store: URL of the database of results.

    Returns:
        The verdict of the study's protocol.

    Raises:
        UsageError: the store holds no such study.
        StoreError: there is no store, or it cannot be read.

    Example:
        >>> import mohs, tempfile
        >>> from mohs.protocols.conduct import load_verdict
        >>> store = f"sqlite:///{tempfile.mkdtemp()}/results.db"
        >>> options = dict(dials=["delay"], seeds=1, budget=300, workers=0, progress="silent")
        >>> verdict = mohs.diagnose("random", **options, store=store)
        >>> load_verdict("random", store=store).sentences == verdict.sentences
        True
    """
    with open_store(store, create=False) as opened:
        return stored_verdict(opened, find_study(opened, study))


def _command(name: str) -> str:
    protocol: Protocol = find_protocol(name)
    return protocol.command or protocol.name


def _failed(store: Store, key: str) -> tuple[FailureReason, ...]:
    found = failures(store, key)
    errors = {failure.reason: failure.error for failure in found}
    counts = Counter(failure.reason for failure in found)
    return tuple(FailureReason(reason, counts[reason], error) for reason, error in errors.items())
