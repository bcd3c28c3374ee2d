"""What workers share: rates, how much at once, the budget, and how far they are."""

from __future__ import annotations

from pathlib import Path

import pytest

from adjudge.core.reply import Usage
from adjudge.running.engines.ray.sharing import AskedModel, ModelBounds, Report, Sharing
from adjudge.stores import Cost
from adjudge.stores.folders import Folder
from adjudge.stores.verdict_files import VerdictFiles

pytestmark = pytest.mark.cluster

MODEL = "openai/m"


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


def sharing(clock: Clock, bounds: ModelBounds, workers: int = 4) -> Sharing:
    return Sharing({MODEL: bounds}, workers, clock=clock)


def times_of_four_workers(clock: Clock, minutes: float, per_minute: int) -> list[float]:
    """When the requests of four workers go out that always have eight waiting."""
    shared = sharing(clock, ModelBounds(8, requests_a_minute=per_minute))
    went_out: list[float] = []
    waiting = [(0.0, worker) for worker in range(4) for _ in range(8)]
    while waiting[0][0] < minutes * 60:
        clock.now, worker = waiting.pop(0)
        (wait,) = shared.turns(MODEL, [10])
        went_out.append(clock.now + wait)
        waiting.append((clock.now + wait + 0.1, worker))
        waiting.sort()
    return went_out


def test_the_rate_holds_over_all_workers(clock: Clock) -> None:
    went_out = times_of_four_workers(clock, minutes=3, per_minute=600)
    saved_up = 100  # a sixth of a minute may go out at once, as in one process
    steady = [time for time in went_out[saved_up:] if time <= 180]
    assert len(steady) == pytest.approx(3 * 600, rel=0.05)
    for start in range(10, 120, 10):
        within = sum(start < time <= start + 60 for time in went_out)
        assert within <= 600 * 1.05


def test_tokens_count_as_many_as_there_were_in_the_end(clock: Clock) -> None:
    shared = sharing(clock, ModelBounds(8, tokens_a_minute=6000))  # 100 per second, 1000 saved up
    assert shared.turns(MODEL, [500, 500, 100]) == [0.0, 0.0, pytest.approx(1.0)]
    shared.report("a", Report(asked={MODEL: AskedModel(answered=2, more_tokens=900)}))
    assert shared.turns(MODEL, [100]) == [pytest.approx(11.0)]


def test_all_slow_down_when_one_is_refused(clock: Clock) -> None:
    shared = sharing(clock, ModelBounds(8))
    clock.now = 5.0
    refused = AskedModel(refused=[(0.5, None), (0.5, None)])
    orders = shared.report("a", Report(asked={MODEL: refused}))
    assert orders.models[MODEL] == (4.0, 0.0)
    assert shared.report("b", Report()).models[MODEL] == (4.0, 0.0)
    # Those that went out before that say nothing about the new number.
    clock.now = 5.2
    late = AskedModel(refused=[(1.0, None)] * 4)
    assert shared.report("b", Report(asked={MODEL: late})).models[MODEL] == (4.0, 0.0)
    more = shared.report("b", Report(asked={MODEL: AskedModel(answered=16)})).models[MODEL][0]
    assert 4.2 < more <= 4.25


def test_a_server_that_names_a_time_is_left_alone_by_all(clock: Clock) -> None:
    shared = sharing(clock, ModelBounds(8))
    clock.now = 5.0
    shared.report("a", Report(asked={MODEL: AskedModel(refused=[(0.5, 30.0), (0.5, 30.0)])}))
    assert shared.report("b", Report()).models[MODEL][1] == 30.0
    assert shared.turns(MODEL, [1]) == [30.0]


def test_every_worker_keeps_one_request(clock: Clock) -> None:
    shared = sharing(clock, ModelBounds(2))
    for moment in range(1, 9):
        clock.now = float(moment)
        orders = shared.report("a", Report(asked={MODEL: AskedModel(refused=[(0.1, None)] * 2)}))
    assert orders.models[MODEL][0] == 1.0


def test_progress_sums_what_workers_report_and_counts_those_that_live(clock: Clock) -> None:
    shared = sharing(clock, ModelBounds(8))
    shared.report("a", Report(verdicts=2, unscored=1, usage=Usage(input_tokens=5), is_busy=True))
    clock.now = 2.0
    shared.report("b", Report(verdicts=3))
    progress = shared.progress()
    assert (progress.verdicts, progress.unscored, progress.workers) == (5, 1, 2)
    assert progress.usage.input_tokens == 5
    assert not shared.is_idle()
    clock.now = 4.0  # nothing was heard of the first for so long that it is gone
    assert shared.progress().workers == 1
    assert shared.is_idle()


def test_workers_hear_that_they_are_to_stop(clock: Clock) -> None:
    shared = sharing(clock, ModelBounds(8))
    assert not shared.report("a", Report()).stop
    shared.stop()
    assert shared.report("a", Report()).stop


def test_the_budget_is_one_for_all_and_outlives_a_kill(tmp_path: Path, clock: Clock) -> None:
    files = VerdictFiles(Folder(str(tmp_path)), "r")
    first = Sharing({}, 2, files, clock=clock)
    first.report("a", Report())
    first.report("b", Report())
    assert first.reserve("a", Cost(60), Cost(), 100, None).cost == Cost(60)
    refused = first.reserve("b", Cost(50), Cost(), 100, None)
    assert (refused.cost, refused.left, refused.shared) == (None, 40.0, True)
    first.spend("a", Cost(20), Cost(60))
    assert first.reserve("b", Cost(50), Cost(), 100, None).cost == Cost(50)
    # Killed here: what b may have spent stays counted, and nobody else holds any.
    again = Sharing({}, 2, files, clock=clock)
    assert again.left_behind() == Cost(50)
    refused = again.reserve("c", Cost(31), Cost(), 100, None)
    assert (refused.cost, refused.left, refused.shared) == (None, 30.0, False)
    assert again.reserve("c", Cost(30), Cost(), 100, None).cost == Cost(30)
    again.release("c")
    again.save()
    assert files.spent() == Cost(20)
