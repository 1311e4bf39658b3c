"""Writes steps and predictions to a store and says on standard output what was acknowledged; run by tests.

Usage: ``writer_process.py PATH TRAJECTORY_ID N_STEPS``. Goes on from the last step that is there.
"""

from __future__ import annotations

import asyncio
import logging
import sys

from themisto_lab.store.store import Store
from themisto_lab.types import CellOutput, Prediction, Step, TaskKind, Trajectory


def say(word: str, key: object) -> None:
    sys.stdout.write(f"{word} {key}\n")
    sys.stdout.flush()


async def write_step(store: Store, trajectory_id: str, index: int) -> None:
    output = CellOutput(mime="text/plain", text=f"{index} " * 400)
    await store.add_step(trajectory_id, Step(index=index, kernel_id="k", code=f"step {index}", outputs=(output,)))
    say("step", index)


async def write_prediction(store: Store, trajectory_id: str, index: int) -> None:
    prediction = Prediction(
        id=f"{trajectory_id}-{index}",
        task=TaskKind.NEXT_CELL,
        trajectory_id=trajectory_id,
        target_index=index,
        predictor="echo",
    )
    await store.put_prediction(prediction)
    say("running", prediction.id)
    await store.put_prediction(prediction.model_copy(update={"status": "ready", "text": f"step {index}"}))
    say("ready", prediction.id)


async def main(path: str, trajectory_id: str, n_steps: int) -> None:
    store = Store.open(path, logging.getLogger(), recover=False)
    await store.add_trajectory(Trajectory(id=trajectory_id, notebook=f"{trajectory_id}.ipynb"))
    first = await store.count_steps(trajectory_id)
    say("open", first)
    for index in range(first, first + n_steps, 2):
        # At the same time, so that groups are committed and killed as well.
        await asyncio.gather(
            write_step(store, trajectory_id, index),
            write_step(store, trajectory_id, index + 1),
            write_prediction(store, trajectory_id, index),
        )
    await store.close()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], sys.argv[2], int(sys.argv[3])))
