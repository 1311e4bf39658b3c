"""Verdant's ``.ipyhistory``: every version of each cell and output, with the moments that they were seen.

Verdant writes a checkpoint at each run and at each save, and logs pictures anew each time. So a run is taken
to be a cell's first appearance with new code, or with a text output that differs from the cell's last one;
everything else in the file is a save. One that was run again with equal code and text can't be told from a
save and is left out.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

from themisto_lab.benchmark.format import UNKNOWN_TIME
from themisto_lab.benchmark.importers.outputs import joined, notebook_outputs, status_of
from themisto_lab.benchmark.importers.source import Importer, ImportReport, Source
from themisto_lab.errors import BadInputError
from themisto_lab.types import CellOutput, JsonObject, Step, Trajectory

_RUN_CHANGES = ("edited", "added", "output changed")
_FAR_BELOW = 1 << 30


def detects(source: Source) -> bool:
    """Tell the file by its lists of checkpoints and code cells."""
    document = source.document
    return isinstance(document.get("checkpoints"), list) and isinstance(document.get("codeCells"), list)


def read(source: Source, report: ImportReport) -> Iterator[Trajectory]:
    """Yield the history's one trajectory. The file tells of no restart, so it is one kernel life."""
    kernel_id = f"verdant-{source.digest}"
    history = _History(source)
    steps: list[Step] = []
    for moment, artifact, outputs in _runs(history, report):
        code = history.code(artifact)
        if not code.strip():
            report.skipped["cell version without code"] += 1
            continue
        steps.append(
            Step(
                index=len(steps),
                kernel_id=kernel_id,
                cell_id=artifact.rpartition(".")[0],
                code=code,
                outputs=outputs,
                status=status_of(outputs),
                execution_count=history.execution_count,
                started_at=moment,
            )
        )
    if not steps:
        report.skipped["history without code"] += 1
        return
    yield Trajectory(
        id=kernel_id,
        notebook=source.path.with_suffix(".ipynb").name,
        kernel_id=kernel_id,
        started_at=steps[0].started_at,
        steps=tuple(steps),
    )


IMPORTER = Importer(kind="verdant", title="a Verdant history", detects=detects, read=read)


class _History:
    """Looks up what the checkpoints name: ``c.3.10`` is version 10 of the code cell ``c.3``."""

    def __init__(self, source: Source) -> None:
        document = source.document
        self._path = source.path
        self.checkpoints: list[Any] = document["checkpoints"]
        self._versions: dict[str, list[Any]] = {}
        self.execution_count: int | None = None
        for artifact in [*document["codeCells"], *(document.get("output") or [])]:
            if isinstance(artifact, dict) and isinstance(artifact.get("versions"), list):
                self._versions[str(artifact.get("artifact_name"))] = artifact["versions"]

    def version(self, name: str) -> JsonObject:
        """Return one version of a cell or output.

        Raises
        ------
        BadInputError
            A checkpoint names a version that the file does not hold.
        """
        artifact, _, number = name.rpartition(".")
        versions = self._versions.get(artifact, [])
        if number.isdigit() and int(number) < len(versions) and isinstance(versions[int(number)], dict):
            version: JsonObject = versions[int(number)]
            return version
        raise BadInputError(f"{self._path}: a checkpoint names {name}, which the file does not hold.")

    def code(self, name: str) -> str:
        """Return the code of a cell's version."""
        return joined(self.version(name).get("literal"))

    def outputs(self, cell: str, names: Any) -> tuple[CellOutput, ...]:
        """Return the outputs that a checkpoint names for a cell's version, and note their prompt number."""
        raw: list[Any] = []
        for name in names if isinstance(names, list) else []:
            version = self.version(str(name))
            # An output of an older version of the code was only still on the screen.
            if version.get("parent") == cell:
                raw += version.get("raw") or []
        counts = [value.get("execution_count") for value in raw if isinstance(value, dict)]
        self.execution_count = next((count for count in counts if isinstance(count, int)), None)
        return notebook_outputs(_as_notebook(value) for value in raw)


def _runs(history: _History, report: ImportReport) -> Iterator[tuple[datetime, str, tuple[CellOutput, ...]]]:
    """Yield the moment, the cell's version and the outputs of each run; those of one checkpoint from above."""
    seen: set[str] = set()
    last_text: dict[str, tuple[str, ...]] = {}
    for checkpoint in history.checkpoints:
        moment = _moment(checkpoint)
        for target in sorted(_code_targets(checkpoint), key=_position):
            artifact = str(target["cell"])
            if target.get("changeType") not in _RUN_CHANGES:
                continue
            outputs = history.outputs(artifact, target.get("output"))
            text = tuple(output.text for output in outputs if output.text)
            is_new = artifact not in seen
            if not is_new and (not text or text == last_text.get(artifact, ())):
                report.skipped["event without a change of code or text output"] += 1
                continue
            seen.add(artifact)
            last_text[artifact] = text
            yield moment, artifact, outputs


def _code_targets(checkpoint: Any) -> list[JsonObject]:
    targets = checkpoint.get("targetCells") if isinstance(checkpoint, dict) else None
    return [t for t in targets or [] if isinstance(t, dict) and str(t.get("cell", "")).startswith("c.")]


def _position(target: JsonObject) -> int:
    index = target.get("index")
    return index if isinstance(index, int) else _FAR_BELOW


def _moment(checkpoint: Any) -> datetime:
    stamp_ms = checkpoint.get("timestamp") if isinstance(checkpoint, dict) else None
    if not isinstance(stamp_ms, int | float):
        return UNKNOWN_TIME
    return datetime.fromtimestamp(stamp_ms / 1000, UTC)


def _as_notebook(output: Any) -> Any:
    """Give a picture, which Verdant keeps in a file of its own, the form that a notebook has."""
    if not isinstance(output, dict) or output.get("output_type") != "offsite image":
        return output
    file_type = str(output.get("fileType", "png"))
    mime = file_type if "/" in file_type else f"image/{file_type}"
    return {"output_type": "display_data", "data": {mime: ""}}
