"""How does a study become a verdict? One way for all protocols: check, plan, train what is missing, conclude."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any, Unpack

from mohs.core.arguments import checked
from mohs.core.errors import MohsError, UsageError
from mohs.core.registry import environment
from mohs.core.values import sealed
from mohs.protocols.protocol import Gate, Protocol, Stop, Study, find_protocol, protocol_of
from mohs.protocols.verdict import Verdict
from mohs.report.findings import Finding
from mohs.runs.checks import check_plan
from mohs.runs.execute import Summary, execute
from mohs.runs.execution import DEFAULT_STORE, Execution, ExecutionOptions
from mohs.runs.places import processors
from mohs.runs.places import sentence as differ
from mohs.runs.plan import Plan, Track, keys_of
from mohs.runs.progress import choose
from mohs.runs.results import Results
from mohs.runs.status import SHOWN_KEY, about, failures, find
from mohs.runs.store import (
    CellStatus,
    Store,
    StoredStudy,
    check_store,
    damage_text,
    open_store,
    sound,
)


@dataclass(frozen=True)
class FailureReason:
    """Why some runs failed: the last line of the traceback, how many failed so, and one whole traceback."""

    reason: str
    count: int
    error: str


@dataclass(frozen=True)
class Conducted:
    """How a study was carried out; without a verdict where it was interrupted, or where only a shard of it ran."""

    summary: Summary
    verdict: Verdict | None
    failed: tuple[FailureReason, ...]

    @property
    def stopped(self) -> Stop | None:
        """Why the study ended after its first tracks, where it did."""
        return None if self.verdict is None else self.verdict.stopped


def planned(study: Study, execution: Execution) -> Plan:
    """The plan of a study that can run: everything that can be checked before training is checked here, in order.

    Raises:
        UsageError: the device or the workers are not to be had, a task cannot be made, or an agent cannot play it.
        StoreError: the store cannot be read or written.
    """
    protocol = protocol_of(study)
    execution.check()
    check_store(execution.url)
    if protocol.prepare is not None:
        protocol.part("prepare")(study, choose(execution.progress).note)
    plan: Plan = protocol.part("plan")(study)
    check_plan(plan, execution.worker_count > 0)
    return plan.labelled(execution.label) if execution.label else plan


def carry_out(study: Study, plan: Plan, execution: Execution, *, keep_going: bool = False) -> Conducted:
    """Trains the cells of a plan that the store does not hold yet, and concludes from all of them.

    Where the protocol has a gate, the stages that it names run first, and the next one only if it lets it;
    `keep_going` runs all whatever it says. Only the order changes: a cell gives the same results whenever it runs.
    """
    gate = None if keep_going or execution.shard else _gate(study)
    with open_store(execution.url) as store:
        if gate is None:
            summary = execute(plan, store, execution)
        else:
            stages, decide = _stages(gate, plan.tracks, plan.runs), gate.decide
            proceed = lambda: decide(_results(store, plan.tracks, plan.runs)) is None  # noqa: E731
            summary = execute(plan, store, execution, stages=stages, proceed=proceed)
        if summary.interrupted:
            return Conducted(summary, None, ())
        failed = _failed(store, plan.key) if summary.failed else ()
        if execution.shard:
            return Conducted(summary, None, failed)
        verdict = _conclude(study, store, plan.key, plan.tracks, plan.runs, failed)
    return Conducted(summary, verdict.labelled(plan.label), failed)


def _gate(study: Study) -> Gate | None:
    protocol = protocol_of(study)
    gate: Gate | None = None if protocol.gate is None else protocol.part("gate")(study)
    return gate


def _results(store: Store, tracks: Sequence[Track], runs: Sequence[str]) -> Results:
    return Results.labelled(tracks, runs, dict(store.results(dict.fromkeys(runs))))


def _damage(results: Results) -> tuple[Finding, ...]:
    if not results.damaged:
        return ()
    rest = "their results are missing here; the command that made the study runs them again."
    return (Finding(f"{damage_text(results.damaged)}; {rest}", warning=True),)


def _conclude(
    study: Study,
    store: Store,
    key: str,
    tracks: Sequence[Track],
    runs: Sequence[str],
    failed: Sequence[FailureReason],
) -> Verdict:
    """The verdict on what a store holds, with notes on its runs: why it ended early, and why some failed."""
    results, gate = _results(store, tracks, runs), _gate(study)
    places = store.places_of(key)
    concluded: Verdict = protocol_of(study).part("verdict")(study, results)
    verdict = concluded.carried_out_on(f"{processors(places)} {differ(places)}".strip())
    notes = tuple(Finding(f"{f.count:,} runs failed: {f.reason.rstrip('.')}.", warning=True) for f in failed)
    notes += _damage(results)
    notes += tuple(Finding(text, warning=True) for text in [differ(places)] if text)
    stop = None if gate is None else gate.decide(results)
    if gate is None or stop is None:
        return verdict.noted(notes)
    warning = not stop.answered
    left = _left_out(store, _stages(gate, tracks, runs))
    if not left:
        return verdict.noted((Finding(stop.sentence, warning=warning), *notes))
    rest = f"The other {left:,} runs were left out; --keep-going runs them."
    return verdict.noted((Finding(f"{stop.sentence} {rest}", warning=warning), *notes), stop)


def _stages(gate: Gate, tracks: Sequence[Track], runs: Sequence[str]) -> list[set[str]]:
    """The keys of the cells of each stage, each cell once; the last stage has all that no other has."""
    stages: list[set[str]] = []
    left = set(runs)
    for stage in (*(keys_of(tracked, tracks, runs) for tracked in gate.stages), set(runs)):
        stages.append(stage & left)
        left -= stage
    return stages


def _left_out(store: Store, stages: Sequence[Collection[str]]) -> int:
    """How many cells the stages after the last one that was begun have."""
    left = 0
    for stage in reversed(stages):
        statuses = store.statuses(stage).values()
        if set(statuses) - {CellStatus.PENDING} or store.checkpoint_steps(stage):
            break
        left += len(stage)
    return left


@checked
def run(study: Study, *, keep_going: bool = False, **execution: Unpack[ExecutionOptions]) -> Any:
    """Carries out a study of any protocol.

    Runs that the store holds are not run again, so the same call resumes an interrupted one.

    Args:
        study: what to run: `mohs.read_study("delay")`, for example, or the study of any protocol.
        keep_going: run everything, also where the protocol would end after its first runs (a diagnosis does where
            vanilla is not learnt). The verdict says so in `stopped`.
        **execution: `store`, `workers`, `pack_size`, `device`, `progress`, `label`, `cell_timeout`, `worker_memory`,
            `executor`, `shard` (see `Execution`).

    Returns:
        The verdict of the study's protocol; None for a shard, whose store is to be merged with the others.

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
    conducted = carry_out(study, planned(study, how), how, keep_going=keep_going)
    summary = conducted.summary
    if summary.interrupted:
        raise KeyboardInterrupt
    if conducted.failed:
        reasons = "; ".join(f"{failed.count} × {failed.reason}" for failed in conducted.failed)
        text = f"{summary.failed} of {summary.cells} runs failed: {reasons}"
        if summary.failed == summary.cells:
            raise MohsError(f"{text}.")
        warnings.warn(text, RuntimeWarning, stacklevel=2)
    if conducted.stopped is not None and not conducted.stopped.answered:
        warnings.warn(f"{conducted.stopped.sentence} keep_going=True goes on.", RuntimeWarning, stacklevel=2)
    return conducted.verdict


def find_study(store: Store, name: str | None, protocol: str = "") -> str:
    """The key of a study by its label, name, key or the beginning of that; the newest of all without a name.

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
    """The verdict on what a store holds of a study, finished or not. Code that the store names is not imported."""
    with sealed():
        return _stored_verdict(store, key)


def _stored_verdict(store: Store, key: str) -> Verdict:
    record = store.study(key)
    _check_environments(store, record)
    protocol = find_protocol(record.protocol)
    with sound(store.name):
        study = protocol.part("study").from_json(record.options)  # type: ignore[attr-defined]
    if record.tracks:
        tracks, runs = record.tracks, store.runs(key)
    else:  # an older version of mohs did not keep them
        plan: Plan = protocol.part("plan")(study)
        tracks, runs = plan.tracks, list(plan.runs)
    return _conclude(study, store, key, tracks, runs, _failed(store, key)).labelled(record.label).read_only()


@checked
def load_verdict(study: str | None = None, *, store: str = DEFAULT_STORE) -> Verdict:
    """The verdict on what a store holds of a study, finished or not. Trains nothing.

    Args:
        study: its label, its name, its agent, its key or the beginning of that; by default the newest.
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


def _check_environments(store: Store, record: StoredStudy) -> None:
    """Raises UsageError where this process does not know an environment of a study, and says who does."""
    for env in about(store, record).envs:
        try:
            environment(env)
        except UsageError as error:
            raise UsageError(
                f"the study {record.name!r} ran on {env!r}, which this process does not know; if a script registered "
                f"it, write the report there: mohs.load_verdict({record.key[:SHOWN_KEY]!r}).save('report')."
            ) from error


def _command(name: str) -> str:
    protocol: Protocol = find_protocol(name)
    return protocol.command or protocol.name


def _failed(store: Store, key: str) -> tuple[FailureReason, ...]:
    found = failures(store, key)
    errors = {failure.reason: failure.error for failure in found}
    counts = Counter(failure.reason for failure in found)
    return tuple(FailureReason(reason, counts[reason], error) for reason, error in errors.items())
