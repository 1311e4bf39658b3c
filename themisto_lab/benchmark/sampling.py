"""The paper's sampling rules, in one documented order, with each exclusion counted by its reason.

For each task, every step of every trajectory is a candidate target. Then, in this order:

1. *Eligibility*: enough actions (`SampleRules.min_actions`) before the target or in its trajectory. A next cell needs
   at least one step before it.
2. *Exceptions*: the target's run raised, was interrupted or did not end; or the output to predict shows a traceback.
3. *Empties*: nothing to predict; or the text was never recorded, or only a part of it.
4. *The longest*: longer than the 0.99 quantile of the lengths that are left.
5. *Quartiles* of the lengths that are left.
6. *Draw*: 90 % from the 2nd and 3rd quartile together, 5 % each from the 4th and the 1st (180, 10, 10 of 200).

Lengths are in characters. Quantiles are interpolated linearly between the two nearest lengths. Equal lengths stay
together: a length equal to a boundary belongs to the lower quartile.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Literal

from themisto_lab.benchmark.format import read_trajectories
from themisto_lab.benchmark.jsonl import atomic_text_writer, dump_line
from themisto_lab.benchmark.progress import Watch, silent
from themisto_lab.benchmark.sample_file import SampleHeader, SampleItem, item_id, item_line, trajectory_line
from themisto_lab.errors import BadInputError
from themisto_lab.types import MIME_STDOUT, MIME_TEXT, JsonObject, Step, TaskKind, Trajectory

_LONGEST_QUANTILE = 0.99
_TAIL_SHARE = 0.05
_TRACEBACK = "Traceback (most recent call last)"


@dataclass(frozen=True, slots=True)
class SampleRules:
    """The options of a draw.

    Attributes
    ----------
    tasks
        The tasks to sample, each on its own.
    n
        Items asked for in each task.
    seed
        Another seed draws other items.
    min_actions
        The paper's "five or more actions".
    actions_in
        Where they are counted: ``before`` the target, or in its whole ``trajectory``.
    draw
        ``paper``: all six rules. ``uniform``: rules 1 to 3, then ``n`` items, each equally likely. ``all``: rules 1 to
        3, then every item.
    part, n_parts
        Which part of the trajectories is drawn from, of how many: one to try things on, another to report on. A hash of
        its id puts a trajectory into its part, whatever else is in the file.
    """

    tasks: tuple[TaskKind, ...] = (TaskKind.NEXT_CELL, TaskKind.CELL_OUTPUT)
    n: int = 200
    seed: int = 0
    min_actions: int = 5
    actions_in: Literal["before", "trajectory"] = "before"
    draw: Literal["paper", "uniform", "all"] = "paper"
    part: int = 1
    n_parts: int = 1


@dataclass(frozen=True, slots=True)
class Candidate:
    """A target that passed the first three rules; ``order`` is its place in the seeded draw."""

    trajectory_id: str
    target_index: int
    length: int
    order: bytes


@dataclass
class TaskReport:
    """What became of one task's candidates.

    Attributes
    ----------
    n_steps
        Candidates in all.
    excluded
        How many each rule left out, by reason.
    longest_length, quartile_lengths
        The 0.99 quantile and the three quartile boundaries, in characters; None without the paper's draw.
    groups
        For each group of the draw how many were there, asked for, and drawn.
    n_items
        Items drawn.
    n_asked
        Items asked for; None where all were.
    """

    n_steps: int = 0
    excluded: Counter[str] = field(default_factory=Counter)
    longest_length: float | None = None
    quartile_lengths: tuple[float, ...] | None = None
    groups: dict[str, dict[str, int]] = field(default_factory=dict)
    n_items: int = 0
    n_asked: int | None = None


def quantile(ordered: Sequence[int], share: float) -> float:
    """Return the quantile of lengths in rising order, interpolated linearly between the two nearest."""
    position = (len(ordered) - 1) * share
    low = int(position)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (ordered[high] - ordered[low]) * (position - low)


def target_text(step: Step, task: TaskKind) -> str:
    """Return the text that is to be predicted."""
    return step.code if task is TaskKind.NEXT_CELL else step.output_text


def reason_to_exclude(trajectory: Trajectory, step: Step, task: TaskKind, rules: SampleRules) -> str | None:
    """Return why a step can't be a target under rules 1 to 3, or None where it can."""
    actions = step.index if rules.actions_in == "before" else len(trajectory.steps)
    if actions < rules.min_actions:
        where = "before" if rules.actions_in == "before" else "in trajectory"
        return f"fewer than {rules.min_actions} actions {where}"
    if task is TaskKind.NEXT_CELL and step.index == 0:
        return "no step before the next cell"
    if step.raised:
        return "exception"
    return None if task is TaskKind.NEXT_CELL else _fault_of_output(step)


def _fault_of_output(step: Step) -> str | None:
    text = step.output_text
    if _TRACEBACK in text:
        return "exception"
    cut = any(output.truncated for output in step.outputs if output.mime in (MIME_STDOUT, MIME_TEXT))
    if text.strip():
        return "output cut off" if cut else None
    return "output not recorded" if cut else "empty"


def draw_items(
    candidates: list[Candidate], rules: SampleRules, report: TaskReport
) -> list[tuple[Candidate, int | None]]:
    """Apply rules 4 to 6 and return what was drawn, each with its quartile."""
    report.n_asked = None if rules.draw == "all" else rules.n
    if rules.draw != "paper":
        asked = len(candidates) if rules.draw == "all" else rules.n
        drawn = _draw(candidates, asked, "all lengths", report)
        return [(candidate, None) for candidate in drawn]
    if not candidates:
        return []
    lengths = sorted(candidate.length for candidate in candidates)
    report.longest_length = longest = quantile(lengths, _LONGEST_QUANTILE)
    left = [candidate for candidate in candidates if candidate.length <= longest]
    if too_long := len(candidates) - len(left):
        report.excluded["longer than the 0.99 quantile"] += too_long
    lengths = sorted(candidate.length for candidate in left)
    report.quartile_lengths = bounds = tuple(quantile(lengths, share) for share in (0.25, 0.5, 0.75))
    quartiles = {c: 1 + sum(c.length > bound for bound in bounds) for c in left}
    n_tail = round(rules.n * _TAIL_SHARE)
    drawn = []
    for name, members, asked in (
        ("2nd and 3rd quartile", (2, 3), rules.n - 2 * n_tail),
        ("4th quartile", (4,), n_tail),
        ("1st quartile", (1,), n_tail),
    ):
        drawn += _draw([c for c in left if quartiles[c] in members], asked, name, report)
    return [(candidate, quartiles[candidate]) for candidate in drawn]


def sample(path: Path, out: Path, rules: SampleRules, watch: Watch = silent) -> dict[str, TaskReport]:
    """Draw a sample from a trajectory file and write it.

    The file is read twice, so that only the lengths of the targets are held in memory.

    Raises
    ------
    BadInputError
        The file can't be read, or two trajectories in it have the same id.
    """
    reports = {task.value: TaskReport() for task in rules.tasks}
    candidates = _collect(path, rules, reports, watch)
    chosen: dict[str, list[tuple[TaskKind, int, int | None]]] = {}
    for task in rules.tasks:
        report = reports[task.value]
        drawn = draw_items(candidates[task], rules, report)
        report.n_items = len(drawn)
        for candidate, quartile in drawn:
            chosen.setdefault(candidate.trajectory_id, []).append((task, candidate.target_index, quartile))
    header = SampleHeader(
        source=path.name,
        source_sha256=file_sha256(path),
        rules={**asdict(rules), "tasks": [task.value for task in rules.tasks]},
        tasks={name: report_json(report) for name, report in reports.items()},
    )
    with atomic_text_writer(out) as file:
        file.write(dump_line(header.model_dump(mode="json")))
        for trajectory in watch(read_trajectories(path), "Writing"):
            for line in _lines(trajectory, chosen.get(trajectory.id, [])):
                file.write(dump_line(line))
    return reports


def report_json(report: TaskReport) -> JsonObject:
    """Return a report as a JSON object."""
    return {**asdict(report), "excluded": dict(sorted(report.excluded.items()))}


def file_sha256(path: Path) -> str:
    """Return the hash of a file's content."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _collect(
    path: Path, rules: SampleRules, reports: dict[str, TaskReport], watch: Watch
) -> dict[TaskKind, list[Candidate]]:
    candidates: dict[TaskKind, list[Candidate]] = {task: [] for task in rules.tasks}
    seen: set[str] = set()
    for trajectory in watch(read_trajectories(path), "Reading"):
        if trajectory.id in seen:
            raise BadInputError(f"{path}: two trajectories have the id {trajectory.id}.")
        seen.add(trajectory.id)
        is_in_part = part_of(trajectory.id, rules.n_parts) == rules.part
        for task in rules.tasks:
            report = reports[task.value]
            for step in trajectory.steps:
                report.n_steps += 1
                if not is_in_part:
                    report.excluded["in another part"] += 1
                    continue
                if (reason := reason_to_exclude(trajectory, step, task, rules)) is not None:
                    report.excluded[reason] += 1
                    continue
                candidates[task].append(_candidate(trajectory.id, step, task, rules.seed))
    return candidates


def part_of(trajectory_id: str, n_parts: int) -> int:
    """Return the part that a trajectory falls into, from 1."""
    return 1 + int.from_bytes(hashlib.sha256(f"part:{trajectory_id}".encode()).digest()[:8], "big") % n_parts


def _candidate(trajectory_id: str, step: Step, task: TaskKind, seed: int) -> Candidate:
    """Place a target in the draw by a hash: the same on every machine and in whatever order the file is."""
    name = f"{seed}:{item_id(task, trajectory_id, step.index)}"
    order = hashlib.sha256(name.encode()).digest()
    return Candidate(trajectory_id, step.index, len(target_text(step, task)), order)


def _draw(members: list[Candidate], asked: int, name: str, report: TaskReport) -> list[Candidate]:
    drawn = sorted(members, key=lambda candidate: candidate.order)[:asked]
    report.groups[name] = {"available": len(members), "asked": asked, "drawn": len(drawn)}
    return drawn


def _lines(trajectory: Trajectory, chosen: list[tuple[TaskKind, int, int | None]]) -> list[JsonObject]:
    if not chosen:
        return []
    ordered = sorted(chosen, key=lambda choice: (choice[1], choice[0].value))
    lines = [trajectory_line(trajectory, ordered[-1][1])]
    for task, index, quartile in ordered:
        item = SampleItem(
            id=item_id(task, trajectory.id, index),
            task=task,
            trajectory_id=trajectory.id,
            target_index=index,
            target=target_text(trajectory.steps[index], task),
            quartile=quartile,
        )
        lines.append(item_line(item))
    return lines
