from __future__ import annotations

import json

from adjudge.service.jobs.plan import JobSpec


def test_a_spec_outlives_the_process() -> None:
    given = JobSpec(data="x.csv", title="t", judges=("a",), models=("m",), options={"limit": 3})
    assert JobSpec.from_dict(json.loads(json.dumps(given.to_dict()))) == given


def test_a_job_that_gets_on_is_begun_again_as_often_as_it_takes() -> None:
    kept = JobSpec(data="x.csv", title="t", judges=("a",), models=("m",))
    for verdicts in (0, 0, 5, 5, 6):
        kept = kept.restarted(verdicts)
    assert (kept.taken_up, kept.verdicts) == (1, 6)
