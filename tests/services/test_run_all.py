"""Run All: each run is a step, once, in order, and every prediction about it has a fate."""

import asyncio
from collections import Counter

import pytest
from waiting import until

from themisto_lab.types import TaskKind

N_CELLS = 200


@pytest.mark.model
async def test_run_all_over_200_cells(start_kernel, themisto, api):
    model = "local/qwen2.5-coder-0.5b"
    kernel_id, client = await start_kernel()
    await api("PUT", "settings", body={**themisto.driver.settings.model_dump(), "model": model})
    codes = [f"x{number} = {number}\nprint(x{number})" for number in range(N_CELLS)]
    for number, code in enumerate(codes):
        await client.send(code, f"c{number}")
    session = themisto.driver.session(kernel_id)
    await until(lambda: len(session.steps) == N_CELLS, timeout_s=90)
    await until(lambda: session.n_in_file == N_CELLS)
    await asyncio.wait_for(themisto.driver.settled(kernel_id), 120)

    trajectory = await themisto.driver.store.get_trajectory(session.trajectory_id)
    assert [step.index for step in trajectory.steps] == list(range(N_CELLS))
    assert [step.code for step in trajectory.steps] == codes
    assert [step.cell_id for step in trajectory.steps] == [f"c{number}" for number in range(N_CELLS)]
    assert [step.output_text for step in trajectory.steps] == [str(number) for number in range(N_CELLS)]

    stored = await themisto.driver.store.predictions(session.trajectory_id, task=TaskKind.NEXT_CELL)
    fates = Counter(
        (one.prediction.predictor, one.prediction.status)
        for one in stored
        if one.prediction.target_index < N_CELLS and one.prediction.arm in (None, "runtime")
    )
    assert {status for _, status in fates} <= {"scored", "missed"}
    for predictor in ("baseline/repeat", "baseline/follower", model):
        assert sum(n for (name, _), n in fates.items() if name == predictor) == N_CELLS - 1
    # What comes after the last run is complete: nothing was held up by the many that were given up.
    last = [one.prediction for one in stored if one.prediction.target_index == N_CELLS]
    assert {prediction.status for prediction in last} == {"ready"}
