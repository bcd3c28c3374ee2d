from __future__ import annotations

import json
from dataclasses import asdict

from adjudge.service.jobs.plan import JobSpec
from adjudge.stores import KeptJob


def test_a_spec_outlives_the_process() -> None:
    spec = JobSpec(data="x.csv", title="t", judges=("a",), models=("m",), options={"limit": 3})
    assert JobSpec.of(KeptJob(id="1", spec=json.loads(json.dumps(asdict(spec))))) == spec


def test_a_job_that_gets_on_is_begun_again_as_often_as_it_takes() -> None:
    kept = JobSpec(data="x.csv", title="t", judges=("a",), models=("m",))
    for verdicts in (0, 0, 5, 5, 6):
        kept = kept.restarted(verdicts)
    assert (kept.taken_up, kept.verdicts) == (1, 6)
