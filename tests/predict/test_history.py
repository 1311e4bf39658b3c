"""The next cell from the session's own past, and its probability."""

from __future__ import annotations

import random

import pytest

from themisto_lab.predict.base import PredictRequest
from themisto_lab.predict.history import BELOW, HistoryGuesser
from themisto_lab.predict.history_session import SessionIndex
from themisto_lab.predict.history_sources import SOURCES, ask_sources
from themisto_lab.predict.history_weights import Calibration, Record, Weights, shipped_weights
from themisto_lab.types import Step, TaskKind, Trajectory

LOAD = "import pandas as pd\ndf = pd.read_csv('houses.csv')"
CLEAN = "df = df.dropna(subset=['price'])\nprint(len(df))"
PLOT = "df.plot.scatter('sqft', 'price', alpha=0.3)"
PLOT_2 = "df.plot.scatter('sqft', 'price', alpha=0.5)"
FIT = "model = LinearRegression().fit(df[['sqft']], df['price'])"


def session(*codes: str, cell_ids: tuple[str | None, ...] | None = None, id_: str = "t") -> Trajectory:
    ids = cell_ids or (None,) * len(codes)
    steps = (Step(index=i, kernel_id="k", code=c, cell_id=x) for i, (c, x) in enumerate(zip(codes, ids, strict=True)))
    return Trajectory(id=id_, steps=tuple(steps))


def index_of(trajectory: Trajectory) -> SessionIndex:
    index = SessionIndex()
    for step in trajectory.steps:
        index.append(step)
    return index


def named(trajectory: Trajectory) -> dict[str, str]:
    return ask_sources(index_of(trajectory), len(trajectory.steps)).texts


def test_runs_of_an_edited_cell_are_runs_of_one_cell():
    index = index_of(session(LOAD, PLOT, CLEAN, PLOT_2))
    assert index.cells[1] == index.cells[3]
    assert len({index.cells[0], index.cells[1], index.cells[2]}) == 3
    assert index.newest_version(1, 3) == PLOT
    assert index.newest_version(1, 4) == PLOT_2


def test_a_cell_with_an_id_is_the_same_cell_whatever_stands_in_it():
    index = index_of(session(LOAD, FIT, cell_ids=("a", "a")))
    assert index.cells[0] == index.cells[1]
    index = index_of(session(PLOT, PLOT_2, cell_ids=("a", "b")))
    assert index.cells[0] != index.cells[1]


def test_what_followed_is_named_in_its_newest_version():
    found = named(session(LOAD, PLOT, CLEAN, PLOT_2, FIT, LOAD))
    assert found["code_followed"] == PLOT_2
    assert found["repeat"] == LOAD


def test_of_several_followers_that_with_the_longest_equal_past_is_named():
    # After LOAD, CLEAN came FIT; the latest run of CLEAN stood after FIT and was followed by PLOT.
    found = ask_sources(index := index_of(session(LOAD, CLEAN, FIT, CLEAN, PLOT, LOAD, CLEAN)), len(index))
    assert found.situation == "followed_2"
    assert found.texts["code_followed"] == FIT


def test_an_edited_cell_is_followed_by_what_followed_its_earlier_version():
    found = ask_sources(index := index_of(session(LOAD, PLOT, FIT, PLOT_2)), len(index))
    assert found.situation == "returned"
    assert "code_followed" not in found.texts
    assert found.texts["cell_followed"] == FIT
    assert found.texts["undo"] == PLOT


def test_after_a_new_cell_the_row_is_taken_up_again():
    found = ask_sources(index := index_of(session(LOAD, CLEAN, PLOT, LOAD, CLEAN, "print(df.shape)")), len(index))
    assert found.situation == "new"
    assert found.texts["skip"] == PLOT
    assert found.texts["back"] == CLEAN
    assert found.texts["fresh_start"] == LOAD


def test_a_renamed_name_is_renamed_in_the_cell_that_follows():
    renamed = CLEAN.replace("df", "houses")
    found = named(session(CLEAN, "df.describe()", renamed))
    assert found["transfer"] == "houses.describe()"


def test_a_number_that_moved_moves_on():
    found = named(session("show(page=2)", "show(page=3)"))
    assert found["move_on"] == "show(page=4)"
    assert found["undo"] == "show(page=2)"


def guess(trajectory: Trajectory, below: str | None = None):
    return HistoryGuesser().guess(PredictRequest(TaskKind.NEXT_CELL, trajectory, below=below))


def test_a_pass_made_three_times_is_gone_on_with_and_surely():
    found = guess(session(*[LOAD, CLEAN, PLOT, FIT] * 3, LOAD, CLEAN))
    assert (found.text, found.reason) == (PLOT, "what followed this cell last time")
    unsure = guess(session(LOAD, CLEAN))
    assert unsure.probability < 0.2 < 0.6 < found.probability < 1


def test_nothing_was_run_yet():
    found = guess(session())
    assert (found.text, found.reason, found.probability) == ("", "nothing was run yet", None)


def test_a_session_teaches_whom_to_trust():
    # One who always runs a new cell twice: what is rare elsewhere becomes certain here.
    names = ["ape", "bee", "cow", "doe", "eel", "fox", "gnu"]
    new_cells = [f"{name} = load('{name}.csv')\n{name}.{name}_summary()" for name in names]
    first = guess(session(new_cells[0]))
    taught = guess(session(*(cell for new in new_cells for cell in (new, new)), "print('quite another thing')"))
    assert first.text == new_cells[0]
    assert taught.text == "print('quite another thing')"
    assert taught.probability > 2 * first.probability


def test_the_cell_below_is_a_candidate_where_it_is_known():
    trajectory = session(LOAD, CLEAN)
    by_text = {candidate.text: candidate for candidate in HistoryGuesser().rank(trajectory, below="\ndf.head()\n")}
    assert by_text["df.head()"].reason == "the cell below"
    assert by_text["df.head()"].sources == (BELOW,)
    assert all(candidate.text != "df.head()" for candidate in HistoryGuesser().rank(trajectory))


def test_candidates_are_told_once_and_the_best_first():
    ranked = HistoryGuesser().rank(session(*[LOAD, CLEAN, PLOT, FIT] * 2, LOAD))
    texts = [candidate.text for candidate in ranked]
    assert len(set(texts)) == len(texts)
    assert [c.value for c in ranked] == sorted((c.value for c in ranked), reverse=True)
    assert {"code_followed", "cell_followed", "cells_followed"} <= set(ranked[0].sources)
    assert all(0 < candidate.probability < 1 for candidate in ranked)


def random_session(seed: int, n_steps: int = 60) -> Trajectory:
    random_ = random.Random(seed)
    cells = [LOAD, CLEAN, PLOT, FIT, "df.head()", "show(page=1)"]
    codes = []
    for _ in range(n_steps):
        place = random_.randrange(len(cells))
        if random_.random() < 0.3:
            cells[place] += f"  # {random_.randrange(9)}"
        codes.append(cells[place])
    return session(*codes, id_=f"random-{seed}")


@pytest.mark.parametrize("seed", range(3))
def test_a_remembered_session_says_what_a_fresh_one_says(seed: int):
    trajectory = random_session(seed)
    remembering = HistoryGuesser()
    lengths = [60, 7, 33, 34, 35, 12, 60, 1]
    for n in lengths:
        part = trajectory.model_copy(update={"steps": trajectory.steps[:n]})
        assert remembering.rank(part) == HistoryGuesser().rank(part)


def test_another_past_under_the_same_id_is_noticed():
    guesser = HistoryGuesser()
    guesser.rank(session(LOAD, CLEAN, LOAD))
    changed = session(LOAD, PLOT, LOAD)
    assert guesser.rank(changed) == HistoryGuesser().rank(changed)
    assert guesser.rank(changed)[0].text == PLOT


def test_only_the_latest_sessions_are_remembered():
    guesser = HistoryGuesser()
    for number in range(20):
        guesser.rank(session(LOAD, CLEAN, id_=str(number)))
    assert list(guesser._sessions) == [str(number) for number in range(12, 20)]


def test_the_shipped_weights_know_every_source_and_are_no_certainty():
    weights = shipped_weights()
    known = {source for by_source in weights.records.values() for source in by_source}
    assert known <= {*SOURCES, BELOW}
    assert {"code_followed", "repeat", "cell_followed", BELOW} <= known
    prior = weights.prior("followed_3", "code_followed")
    assert prior.n_hits > weights.prior("new", "repeat").n_hits > 0
    for by_source in weights.records.values():
        for record in by_source.values():
            assert 0 <= record.n_hits <= record.n
            assert record.likeness <= record.n


def test_probabilities_rise_with_the_rate_and_with_agreement():
    calibration = shipped_weights().calibration
    assert calibration.probability(0.2, 1) < calibration.probability(0.6, 1) < calibration.probability(0.6, 3)
    assert Calibration().probability(0.3, 2) == pytest.approx(0.3)
    assert Weights({}, Calibration(), 5.0).prior("new", "repeat") == Record(
        1.0, pytest.approx(0.1), pytest.approx(0.35)
    )
