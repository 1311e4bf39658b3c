"""Which messages are whose, when a run begins and ends, and what the namespace is then."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from themisto_lab.capture.life import EndedRun, LifeRecord
from themisto_lab.capture.namespace import Namespace, variable_from
from themisto_lab.capture.runs import Began, Ended, RunTracker, Snapshot


def message(kind: str, parent_id: str = "a", subshell_id: str | None = None, **content: Any) -> dict[str, Any]:
    return {
        "header": {"msg_type": kind, "date": datetime(2026, 1, 1, tzinfo=UTC)},
        "parent_header": {"msg_id": parent_id, "msg_type": "execute_request", "subshell_id": subshell_id},
        "content": content,
    }


def status(state: str, parent_id: str = "a", **kwargs: Any) -> dict[str, Any]:
    return message("status", parent_id, execution_state=state, **kwargs)


def executed(code: str, parent_id: str = "a") -> dict[str, Any]:
    return message("execute_input", parent_id, code=code, execution_count=1)


def events(tracker: RunTracker, *messages: dict[str, Any]) -> list[str]:
    told = []
    for each in messages:
        for event in tracker.feed(each):
            name = type(event).__name__
            told.append(f"{name} {event.run.code}" if event.run is not None else name)
    return told


def test_a_run_without_a_probe_begins_with_its_code() -> None:
    tracker = RunTracker()
    assert events(tracker, status("busy"), executed("1")) == ["Began 1"]
    assert tracker.running
    assert events(tracker, status("idle")) == ["Ended 1"]
    assert not tracker.running


def test_a_run_with_a_probe_begins_when_the_probe_says_whose_it_is() -> None:
    tracker = RunTracker(has_probe=True)
    assert events(tracker, status("busy"), executed("1")) == []
    told = message("themisto_run", store_history=True, cell_id="c")
    assert events(tracker, told, message("themisto_snapshot"), status("idle")) == ["Began 1", "Snapshot 1", "Ended 1"]


def test_the_namespace_may_be_told_after_the_end() -> None:
    tracker = RunTracker(has_probe=True)
    told = message("themisto_run", store_history=True, cell_id="c")
    first = [event for each in (status("busy"), executed("1"), told, status("idle")) for event in tracker.feed(each)]
    assert isinstance(first[-1], Ended)
    assert first[-1].awaits_state
    assert not tracker.running
    late = message("themisto_snapshot")
    assert events(tracker, status("busy", "b"), executed("2", "b"), late, late) == ["Snapshot 1"]


def test_the_namespace_of_runs_that_never_tell_it_is_not_awaited_for_ever() -> None:
    tracker = RunTracker(has_probe=True)
    for i in range(100):
        told = message("themisto_run", f"{i}", store_history=False)
        assert events(tracker, status("busy", f"{i}"), executed("1", f"{i}"), told, status("idle", f"{i}")) == []
    assert events(tracker, message("themisto_snapshot", "0"), message("themisto_snapshot", "99")) == ["Snapshot 1"]


def test_a_tools_run_is_none() -> None:
    tracker = RunTracker(has_probe=True)
    told = message("themisto_run", store_history=False)
    messages = status("busy"), executed("1"), told, message("stream", name="stdout", text="x"), status("idle")
    assert events(tracker, *messages) == []


def test_a_probe_that_says_nothing_loses_no_run() -> None:
    tracker = RunTracker(has_probe=True)
    assert events(tracker, status("busy"), executed("1"), status("idle")) == ["Began 1", "Ended 1"]


def test_silent_and_aborted_requests_are_no_runs() -> None:
    tracker = RunTracker()
    assert events(tracker, status("busy"), status("idle")) == []
    assert events(tracker, status("busy"), message("themisto_snapshot"), status("idle")) == ["Snapshot"]


def test_other_requests_and_late_output_are_nobodys() -> None:
    tracker = RunTracker()
    other = {**status("busy"), "parent_header": {"msg_id": "z", "msg_type": "kernel_info_request"}}
    assert events(tracker, other, {**other, "parent_header": {}}) == []
    assert events(tracker, status("busy"), executed("1"), status("idle")) == ["Began 1", "Ended 1"]
    assert events(tracker, message("stream", name="stdout", text="late"), executed("2", "unseen")) == []


def test_a_lost_idle_ends_with_the_next_run() -> None:
    tracker = RunTracker()
    assert events(tracker, status("busy"), executed("1"), status("busy", "b"), executed("2", "b")) == [
        "Began 1",
        "Ended 1",
        "Began 2",
    ]


def test_a_subshells_run_does_not_end_the_main_one() -> None:
    tracker = RunTracker()
    messages = (
        status("busy"),
        executed("main"),
        status("busy", "b", subshell_id="s"),
        executed("sub", "b"),
        status("idle", "b", subshell_id="s"),
        status("idle"),
    )
    assert events(tracker, *messages) == ["Began main", "Began sub", "Ended sub", "Ended main"]


def test_death_ends_what_runs() -> None:
    tracker = RunTracker()
    assert events(tracker, status("busy"), executed("1")) == ["Began 1"]
    ends = list(tracker.die())
    assert [type(event) for event in ends] == [Ended]
    assert isinstance(ends[0], Ended)
    assert ends[0].run.status == "died"
    assert list(tracker.die()) == []


def snapshot(sequence: int, *entries: list[Any], n: int | None = None, **content: Any) -> dict[str, Any]:
    return {
        "sequence": sequence,
        "variables": list(entries),
        "removed": [],
        "changed": [entry[0] for entry in entries],
        "n_variables": len(entries) if n is None else n,
        **content,
    }


def entry(name: str, summary: str = "1") -> list[Any]:
    return [name, "int", None, None, 28, summary]


def test_a_namespace_grows_by_what_differs() -> None:
    namespace = Namespace()
    namespace.apply(snapshot(0, entry("a"), entry("b")))
    namespace.apply(snapshot(1, entry("c"), n=3))
    assert [(v.name, v.changed) for v in namespace.variables] == [("a", False), ("b", False), ("c", True)]
    namespace.apply(snapshot(2, entry("a", "2"), n=2, removed=["b"]))
    assert [(v.name, v.summary, v.changed) for v in namespace.variables] == [("a", "2", True), ("c", "1", False)]
    assert namespace.complete


def test_a_missed_message_is_noticed_and_made_good() -> None:
    namespace = Namespace()
    namespace.apply(snapshot(0, entry("a")))
    namespace.apply(snapshot(2, entry("c"), n=3))
    assert not namespace.complete
    namespace.replace([variable_from(entry(name)) for name in "abc"])
    assert namespace.complete
    assert [(v.name, v.changed) for v in namespace.variables] == [("a", False), ("b", False), ("c", True)]
    namespace.apply(snapshot(0, entry("z")))
    assert [v.name for v in namespace.variables] == ["z"]


@pytest.mark.parametrize(
    "content",
    [
        {},
        {"sequence": "x"},
        snapshot(0, ["too", "short"]),
        snapshot(0, [1, 2, 3, 4, 5, 6]),
        {**snapshot(0), "removed": 5},
    ],
)
def test_a_forged_snapshot_is_refused(content: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r".+"):
        Namespace().apply(content)


def test_two_runs_whose_namespaces_come_before_both_ends_keep_them() -> None:
    record = LifeRecord.begin(kernel_id="k", kernel_name="p", language="python", pid=1, known=frozenset())
    record.tracker.has_probe = True
    ended: list[EndedRun] = []
    for each in (
        status("busy"),
        executed("main"),
        message("themisto_run", store_history=True),
        status("busy", "b", subshell_id="s"),
        executed("sub", "b"),
        message("themisto_run", "b", store_history=True),
        message("themisto_snapshot", **snapshot(0, entry("x"))),
        message("themisto_snapshot", "b", **snapshot(1, entry("y"), n=2)),
        status("idle", "b", subshell_id="s"),
        status("idle"),
    ):
        for event in record.tracker.feed(each):
            if isinstance(event, Snapshot):
                record.take_snapshot(event.run, event.content)
            elif isinstance(event, Ended):
                ended.append(record.ended(event, None))
    names = {end.run.code: [v.name for v in end.state.variables] for end in ended if end.state is not None}
    assert names == {"main": ["x"], "sub": ["x", "y"]}
    assert not any(end.awaits_state for end in ended)


def test_what_may_hold_unknown_secrets_is_withheld() -> None:
    record = LifeRecord.begin(kernel_id="k", kernel_name="p", language="python", pid=1, known=frozenset())
    told = [
        event
        for each in (
            status("busy"),
            executed("print(x)"),
            message("stream", name="stdout", text="quiet-value"),
            message("themisto_snapshot", **snapshot(0, entry("x", "quiet-value"))),
            status("idle"),
        )
        for event in record.tracker.feed(each)
    ]
    began, taken, done = told
    assert isinstance(began, Began)
    assert isinstance(taken, Snapshot)
    assert isinstance(done, Ended)
    record.take_snapshot(taken.run, taken.content)
    ended = record.ended(done, None)
    ended.withheld = True
    step = record.make_step(ended)
    assert (step.output_text, step.variables, step.code) == ("[redacted]", (), "print(x)")
