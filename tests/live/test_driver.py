"""The live driver: when it predicts, what it freezes, and how that is scored. A real store, free predictors."""

import asyncio

import pytest

from themisto_lab.errors import BadInputError, NotFoundError, UnknownModelError
from themisto_lab.live.options import NotebookOptions
from themisto_lab.live.settings import Settings
from themisto_lab.types import TaskKind


def of(stored, predictor, index):
    (found,) = [
        one
        for one in stored
        if one.prediction.predictor == predictor
        and one.prediction.target_index == index
        and one.prediction.task is TaskKind.NEXT_CELL
    ]
    return found


async def test_a_next_cell_is_predicted_when_a_run_ends_and_scored_when_the_next_ends(make_person):
    person = await make_person()
    for code in ("a = 1", "print(a)", "a = 1"):
        await person.run(code)
    shown = person.session.shown[TaskKind.NEXT_CELL]
    assert shown.prediction.text == "print(a)"
    assert shown.prediction.reason
    await person.run("print(a)")
    scored = of(await person.stored(), "baseline/follower", 3)
    assert scored.prediction.status == "scored"
    assert scored.target.text == "print(a)"
    assert {score.metric: score.value for score in scored.scores}["exact_match"] == 1
    assert scored.stored_at < person.session.steps[3].started_at
    assert set(person.session.last_shown[TaskKind.NEXT_CELL].scores) == set(scored.scores)


async def test_every_baseline_is_logged_whatever_is_shown(make_person):
    person = await make_person()
    await person.run("a = 1")
    await person.run("b = 2")
    stored = await person.stored()
    assert {one.prediction.predictor for one in stored} >= {"baseline/repeat", "baseline/follower"}
    assert sum(one.prediction.shown for one in stored if one.prediction.target_index == 1) == 1


async def test_a_forecast_is_scored_against_what_the_cell_printed(make_person):
    person = await make_person()
    await person.run("print(1)", "1\n", cell_id="c")
    tracked = await person.driver.ask("kernel", TaskKind.CELL_OUTPUT, cell_id="c", code="print(1)")
    assert tracked.prediction.text == "1"
    await person.run("print(1)", "1\n", cell_id="c")
    assert tracked.prediction.status == "scored"
    assert tracked.target.text == "1"


async def test_a_forecast_for_an_edited_cell_is_stale(make_person):
    person = await make_person()
    await person.run("print(1)", "1\n", cell_id="c")
    tracked = await person.driver.ask("kernel", TaskKind.CELL_OUTPUT, cell_id="c", code="print(1)")
    await person.run("print(2)", "2\n", cell_id="c")
    assert tracked.prediction.status == "stale"
    assert tracked.scores == ()


async def test_a_cell_that_only_assigns_is_answered_by_its_syntax(make_person):
    person = await make_person()
    await person.run("a = 1")
    tracked = await person.driver.ask("kernel", TaskKind.CELL_OUTPUT, cell_id="c", code="b = 2")
    assert (tracked.prediction.text, tracked.prediction.source) == ("", "syntax")


async def test_the_same_question_is_asked_once(make_person):
    person = await make_person()
    await person.run("print(1)", "1\n", cell_id="c")
    first = await person.driver.ask("kernel", TaskKind.CELL_OUTPUT, cell_id="c", code="print(1)")
    assert await person.driver.ask("kernel", TaskKind.CELL_OUTPUT, cell_id="c", code="print(1)") is first
    assert await person.driver.ask("kernel", TaskKind.CELL_OUTPUT, cell_id="c", code="print(2)") is not first


async def test_a_forecast_asked_while_a_cell_runs_is_about_the_run_after_it(make_person):
    person = await make_person()
    await person.run("print(1)", "1\n", cell_id="c")
    run = await person.start("import time; time.sleep(30)")
    tracked = await person.driver.ask("kernel", TaskKind.CELL_OUTPUT, cell_id="c", code="print(1)")
    assert tracked.prediction.status == "ready"
    assert "running" in tracked.prediction.reason
    await person.finish(run)
    assert tracked.prediction.status == "ready"
    await person.run("print(1)", "1\n", cell_id="c")
    assert tracked.prediction.status == "scored"


async def test_a_prompt_of_a_dead_kernel_is_never_used_again(make_person):
    person = await make_person()
    await person.run("secret_of_the_dead = 1")
    await person.driver.life_ended(person.life)
    with pytest.raises(NotFoundError):
        await person.driver.ask("kernel", TaskKind.NEXT_CELL)
    await person.begin()
    tracked = await person.driver.ask("kernel", TaskKind.NEXT_CELL)
    assert person.session.steps == []
    assert tracked.prediction.text == ""


async def test_events_name_a_step_only_after_it_is_stored(make_person):
    person = await make_person()
    store = person.driver.store
    seen = []

    def emit(schema_id, data):
        if data.get("action") == "finished":
            seen.append(asyncio.ensure_future(store.steps(data["trajectory_id"], data["step_index"])))

    person.driver.events._emit = emit
    await person.run("a = 1")
    (steps,) = await asyncio.gather(*seen)
    assert [step.code for step in steps] == ["a = 1"]


async def test_nothing_is_captured_while_a_notebook_is_off(make_person):
    person = await make_person()
    await person.run("a = 1")
    await person.owner.set_options("kernel", NotebookOptions(enabled=False))
    await person.run("private = 1")
    with pytest.raises(BadInputError, match="off for this notebook"):
        await person.driver.ask("kernel", TaskKind.NEXT_CELL)
    await person.owner.set_options("kernel", NotebookOptions(enabled=True))
    await person.run("b = 2")
    trajectory = await person.driver.store.get_trajectory(person.session.trajectory_id)
    assert [(step.index, step.code) for step in trajectory.steps] == [(0, "a = 1"), (1, "b = 2")]


async def test_with_recording_off_nothing_reaches_the_file_and_predictions_go_on(make_person, tmp_path):
    person = await make_person(recording=False)
    await person.run("unrecorded_name = 1")
    await person.run("b = 2")
    assert (await person.driver.store.info()).n_steps == 0
    assert of(await person.stored(), "baseline/repeat", 1).prediction.status == "scored"
    await person.owner.change_settings(person.driver.settings.model_copy(update={"recording": True}))
    await person.run("c = 3")
    info = await person.driver.store.info()
    assert (info.n_trajectories, info.n_steps) == (1, 1)
    head = (await person.driver.store.list_trajectories())[0]
    assert head.notebook == "a.ipynb"


@pytest.mark.parametrize("everything", [True, False])
async def test_what_is_forgotten_is_gone_from_memory_too(make_person, everything):
    person = await make_person()
    await person.run("forgotten_name = 1")
    old = person.session.trajectory_id
    selection = {"everything": True, "notebook": None} if everything else {"everything": False, "notebook": "a.ipynb"}
    counts = await person.owner.forget(before=None, dry_run=True, **selection)
    assert counts.n_steps == 1
    assert person.session.steps
    await person.owner.forget(before=None, dry_run=False, **selection)
    assert person.session.steps == []
    await person.run("b = 2")
    assert person.session.trajectory_id != old
    stored = await person.driver.store.predictions(person.session.trajectory_id, with_context=True)
    assert "forgotten_name" not in str(stored)


async def test_what_another_program_erased_does_not_come_back(make_person):
    person = await make_person()
    await person.run("forgotten_name = 1")
    await person.driver.store.forget(everything=True)
    await person.run("b = 2")
    trajectory = await person.driver.store.get_trajectory(person.session.trajectory_id)
    assert [(step.index, step.code) for step in trajectory.steps] == [(0, "b = 2")]


async def test_unknown_settings_are_refused_with_the_known_ones(make_person):
    person = await make_person()
    with pytest.raises(UnknownModelError, match="baseline/follower"):
        await person.owner.change_settings(Settings(model="no-such-model"))
    with pytest.raises(BadInputError, match="no_runtime"):
        await person.owner.change_settings(Settings(model="echo", arms=("magic",)))
    with pytest.raises(BadInputError):
        await person.driver.ask("kernel", TaskKind.CELL_OUTPUT, cell_id="c", code="  \n")


async def test_without_a_model_a_baseline_is_shown_and_the_trouble_named(make_person, tmp_path, monkeypatch):
    monkeypatch.setenv("THEMISTO_MODEL_DIR", str(tmp_path))
    person = await make_person(model="local/qwen2.5-coder-0.5b")
    await person.run("a = 1")
    assert person.session.shown[TaskKind.NEXT_CELL].prediction.predictor == "baseline/follower"
    trouble = person.owner.current_trouble()
    assert trouble.code == "model_missing"
    assert "jupyter themisto model pull" in str(trouble)


async def test_a_remote_model_is_not_asked_until_the_user_allows_it(make_person):
    person = await make_person(model="openai/gpt-4o")
    await person.run("a = 1")
    assert {one.prediction.predictor for one in await person.stored()}.isdisjoint({"openai/gpt-4o"})
    assert person.owner.current_trouble().code == "remote_off"
