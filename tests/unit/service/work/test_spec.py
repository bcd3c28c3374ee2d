from __future__ import annotations

import json

from adjudge.service.work.spec import JobSpec


def test_a_spec_outlives_the_process() -> None:
    given = JobSpec(data="x.csv", title="t", judges=("a",), models=("m",), options={"limit": 3})
    assert JobSpec.of(json.loads(json.dumps(given.as_kept()))) == given


def test_a_job_that_gets_on_is_begun_again_as_often_as_it_takes() -> None:
    kept = JobSpec(data="x.csv", title="t", judges=("a",), models=("m",))
    for verdicts in (0, 0, 5, 5, 6):
        kept = kept.begun_again(verdicts)
    assert (kept.taken_up, kept.verdicts) == (1, 6)
