from __future__ import annotations

from adjudge import __version__

from .conftest import ITEM, Api


def test_health_needs_no_token_and_tells_nothing(api: Api) -> None:
    answer = api.running.ask("/healthz")
    assert answer.json == {"status": "ok", "version": __version__}


def test_health_does_not_look_at_tokens(api: Api) -> None:
    wrong = {"Authorization": "Bearer adj_00000000_" + "a" * 43}
    assert api.running.ask("/healthz", headers=wrong).status == 200


def test_a_store_that_is_gone_is_told(api: Api) -> None:
    api.running.service.store.jobs.find = _broken  # type: ignore[method-assign]
    answer = api.running.ask("/healthz")
    assert answer.status == 503
    assert answer.json["type"] == "urn:adjudge:problem:store-failed"


def _broken(_: str) -> None:
    from adjudge.errors import StoreError

    raise StoreError("/somewhere: disk I/O error")


def test_figures_count_without_texts_and_ids(api: Api) -> None:
    api.post("judge", {"judge": "helpfulness", "item": {"id": "secret-item", **ITEM}})
    run = api.run(2)
    api.get(f"runs/{run}")
    api.problem("nothing/at/all")
    api.running.ask("/api/v1/judges", method="BREW")
    text = api.running.ask("/metrics").body.decode()
    lines = dict(line.rsplit(" ", 1) for line in text.splitlines() if not line.startswith("#"))
    assert lines['adjudge_judgments_total{outcome="scored"}'] == "3.0"
    assert lines['adjudge_tokens_total{direction="input"}'] == "300.0"
    assert lines['adjudge_jobs{state="running"}'] == "0.0"
    judged = '{method="POST",route="/api/v1/judge",status="200"}'
    assert lines[f"adjudge_http_requests_total{judged}"] == "1.0"
    assert lines['adjudge_http_request_seconds_count{route="/api/v1/judge"}'] == "1.0"
    for secret in (run, "secret-item", "nothing/at", "BREW", "small", "helpfulness"):
        assert secret not in text
