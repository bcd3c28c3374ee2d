from __future__ import annotations

import gzip
import json
import stat
import time
from pathlib import Path

import pytest
from tests.kept import readable
from tests.servers import after, fails, says

from adjudge.datasets.isolated import WorkerLimits, Workers
from adjudge.errors import UnknownName
from adjudge.service import observability
from adjudge.service.security.tokens import new_token
from adjudge.stores import TokenScope

from ...datasets.test_textfile import encoded
from ..pages.seen import Seen
from ..security.client import Client
from .conftest import GOOD, ITEM, JUDGE, Api

ROWS = [{"id": f"r{n}", **ITEM, "answer": f"Answer {n}."} for n in range(3)]


def form(fields: dict[str, list[str]], name: str, data: bytes) -> tuple[bytes, dict[str, str]]:
    parts = [
        f'--edge\r\nContent-Disposition: form-data; name="{field}"\r\n\r\n{value}\r\n'.encode()
        for field, values in fields.items()
        for value in values
    ]
    head = f'--edge\r\nContent-Disposition: form-data; name="data"; filename="{name}"\r\n\r\n'
    body = b"".join(parts) + head.encode() + data + b"\r\n--edge--\r\n"
    return body, {"Content-Type": "multipart/form-data; boundary=edge"}


def by_token(api: Api) -> dict[str, str]:
    """A form with a file needs a token: pages elsewhere can send forms, but not that."""
    token, kept = new_token("tests", "judge")
    api.running.service.store.tokens.put(kept)
    return {"Authorization": f"Bearer {token}"}


def test_a_run_is_started_and_goes_to_its_end(api: Api) -> None:
    answer = api.running.ask("/api/v1/runs", {"judges": ["helpfulness"], "rows": ROWS})
    assert answer.status == 202
    started = answer.json
    assert answer.headers["location"] == f"/api/v1/runs/{started['run']}"
    api.ended(started["run"])
    told = api.get(f"runs/{started['run']}")
    assert told["state"] == "finished"
    assert told["outcomes"] == {"scored": 3}
    assert told["unscored"] == 0
    assert told["tokens"] == 330
    (rating,) = told["criteria"]
    assert (rating["criterion"], rating["mean"], rating["scored"]) == ("rating", 3.0, 3)
    assert api.running.service.store.jobs.find(started["job"]).state == "finished"  # type: ignore[union-attr]


def test_where_the_models_server_is_stays_untold(api: Api) -> None:
    run = api.run()
    assert api.model.base_url not in json.dumps(api.get(f"runs/{run}"))


def test_the_same_request_is_the_same_run_and_asks_nothing_again(api: Api) -> None:
    first = api.run()
    asked = len(api.model.asked)
    assert api.run() == first
    assert len(api.model.asked) == asked


KOREAN = "질문,답변\n배송 주소를 어디에서 바꾸나요?,주문 내역에서 바꾸실 수 있습니다\n"
VIETNAMESE = "Câu hỏi,Trả lời\nTôi đổi mật khẩu thế nào?,Bạn vào mục tài khoản để đổi nhé\n"
JAPANESE = "質問,回答\nパスワードはどこで変えますか,アカウントの画面で変えられます\n"


@pytest.mark.parametrize(
    ("text", "codec", "read_as"),
    [
        (KOREAN, "cp949", "CP949 (Korean, EUC-KR)"),
        (VIETNAMESE, "cp1258", "CP1258 (Vietnamese, Windows-1258)"),
        (JAPANESE, "cp932", "CP932 (Japanese, Shift-JIS)"),
        (KOREAN, "utf-16", "UTF-16"),
    ],
)
def test_a_file_in_another_encoding_is_read_after_saying_so(
    api: Api, text: str, codec: str, read_as: str
) -> None:
    body, kind = form({"judges": ["helpfulness"]}, "rows.csv", encoded(text, codec))
    started = api.post("runs", body, 202, headers=kind | by_token(api))
    (note,) = started["notes"]
    assert note.startswith(f"rows.csv is read as {read_as}; ")
    run = api.ended(started["run"])
    assert api.get(f"runs/{run}")["notes"] == [note]
    korean = Client(api.running.url).get(f"/runs/{run}", {"Accept-Language": "ko"})
    assert note not in Seen(korean.text).text
    name = read_as.partition(" ")[0]
    assert f"{name} (" in Seen(korean.text).text or name == "UTF-16"
    assert read_as not in Seen(korean.text).text or name == "UTF-16"
    (verdict,) = api.get(f"runs/{started['run']}/verdicts?with_inputs=true")["verdicts"]
    assert verdict["data"]["question"] in text


def test_an_encoding_that_cannot_be_told_is_named(api: Api) -> None:
    allowed = by_token(api)
    data = "question,answer\nPrzesyłka?,Wysłana już wczoraj żółtą paczką\n".encode("cp1250")
    body, kind = form({"judges": ["helpfulness"]}, "rows.csv", data)
    refused = api.problem("runs", body, headers=kind | allowed)
    assert "is not UTF-8" in refused["detail"]
    fields = {"judges": ["helpfulness"], "encoding": ["cp1250"]}
    body, kind = form(fields, "rows.csv", data)
    started = api.post("runs", body, 202, headers=kind | allowed)
    assert started["notes"] == []
    api.ended(started["run"])
    (verdict,) = api.get(f"runs/{started['run']}/verdicts?with_inputs=true")["verdicts"]
    assert verdict["data"]["answer"] == "Wysłana już wczoraj żółtą paczką"
    body, kind = form(fields | {"encoding": ["klingon"]}, "rows.csv", data)
    refused = api.problem("runs", body, headers=kind | allowed)
    assert "there is no encoding 'klingon'" in refused["detail"]


def test_a_file_comes_in_a_form(api: Api) -> None:
    fields = {
        "judges": ["helpfulness"],
        "models": ["openai/large"],
        "limit": ["2"],
        "tags": ['{"who": "me"}'],
        "title": ["spring"],
    }
    data = b"id,question,answer\na,Q?,A.\nb,Q?,A2.\nc,Q?,A3.\n"
    body, headers = form(fields, "C:\\answers.CSV", data)
    started = api.post("runs", body, 202, headers=headers | by_token(api))
    told = api.get(f"runs/{api.ended(started['run'])}")
    assert (told["rows"], told["models"]) == (2, ["openai/large"])
    assert (told["data"], told["tags"]) == ("spring", {"who": "me"})


@pytest.mark.parametrize(
    ("name", "data", "told"),
    [
        ("a.csv", b"id,question,answer\na,Q?,A.\nb,,A2.\n", "line 3"),
        ("a.jsonl", b'{"question": "Q?", "answer": "A"}\n{broken\n', "line 2"),
        ("a.pdf", b"%PDF", "ending"),
        ("a", b"x", "ending"),
        ("../../a.csv", b"nothing\n1\n", "question"),
        ("a.csv", b"", "a.csv"),
        (
            "a.csv",
            "question,answer\nGrüße,schön\n".encode("cp1252") * 9,
            "looks like CP1252",
        ),
    ],
)
def test_wrong_data_are_told_before_anything_is_spent(
    api: Api, name: str, data: bytes, told: str
) -> None:
    body, headers = form({"judges": ["helpfulness"]}, name, data)
    problem = api.problem("runs", body, headers=headers | by_token(api))
    assert problem["status"] == 422
    assert told in problem["detail"]
    assert "uploads" not in str(problem)
    assert str(Path(api.running.service.store.where).parent) not in str(problem)
    assert api.get("runs")["total"] == 0
    assert not api.model.asked


@pytest.mark.parametrize(
    "fields",
    [
        {"judges": []},
        {"judges": ["none"]},
        {"judges": ["helpfulness"], "models": ["openai/other"]},
        {"judges": ["helpfulness"], "limit": 0},
        {"judges": ["helpfulness"], "budget": "much"},
        {"judges": ["helpfulness"], "store": "x.db"},
        {"judges": ["helpfulness", "helpfulness"]},
        {"judges": [{"definition": "judge: x"}]},
        {"judges": ["helpfulness"], "explain_in": "vn"},
        {"judges": ["helpfulness"], "rows": []},
        {"judges": ["helpfulness"], "rows": [1]},
    ],
)
def test_what_cannot_be_run_is_refused(api: Api, fields: dict[str, object]) -> None:
    problem = api.problem("runs", {"rows": ROWS} | fields)
    assert problem["status"] in {404, 422}
    assert not api.model.asked
    assert api.get("runs")["total"] == 0


def test_a_judge_of_ones_own_is_kept_for_the_run(api: Api) -> None:
    api.model.answer = lambda _: says('{"politeness": 4}')
    body = {"judges": [{"definition": JUDGE}], "rows": [{"answer": "Sir!"}]}
    told = api.get(f"runs/{api.ended(api.post('runs', body, 202)['run'])}")
    assert list(told["judges"]) == ["politeness"]
    assert told["criteria"][0]["mean"] == 4.0


def test_no_file_is_read_as_a_judge(api: Api) -> None:
    store = Path(api.running.service.store.where)
    (store.parent / "mine.yaml").write_text(JUDGE)
    kept = api.running.service.jobs.uploads.keep_judge(JUDGE)
    names = ("../mine.yaml", "mine.yaml", str(store.parent / "mine.yaml"), kept)
    for name in names:
        body = {"judges": [name], "rows": [{"answer": "Sir!"}]}
        assert api.problem("runs", body)["status"] == 404
    for name in names[:3]:  # nor where a page would pass it on
        with pytest.raises(UnknownName):
            api.running.service.jobs._planner._source(name)


def test_what_was_sent_is_kept_for_its_owner_alone(api: Api) -> None:
    api.run()
    folder = Path(api.running.service.store.where).parent / "uploads" / "runs.db"
    (kept,) = folder.iterdir()
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700


def test_runs_are_told_page_by_page(api: Api) -> None:
    runs = [api.run(n) for n in (1, 2, 3)]
    first = api.get("runs?limit=2")
    assert first["total"] == 3
    second = api.get(f"runs?limit=2&cursor={first['next']}")
    assert [each["run"] for each in first["runs"] + second["runs"]] == runs[::-1]
    assert second["next"] is None
    assert api.problem("runs?cursor=none")["status"] == 422
    assert api.problem("runs?limit=0")["status"] == 422


def test_runs_are_found_by_the_beginning_of_their_id(api: Api) -> None:
    run = api.run()
    assert api.get(f"runs/{run[:6]}")["run"] == run
    assert api.get("runs/latest")["run"] == run
    problem = api.problem("runs/none")
    assert problem["status"] == 404
    assert api.running.service.store.where not in problem["detail"]


def test_a_run_is_stopped_and_gone_on_with(api: Api) -> None:
    api.model.script = [says(GOOD)] * 2
    api.model.answer = lambda _: after(0.3, says(GOOD))
    rows = [{"id": f"r{n}", **ITEM, "answer": f"Answer {n}."} for n in range(400)]
    body = {"judges": ["helpfulness"], "rows": rows}
    started = api.post("runs", body, 202)
    api.model.wait_for(70)
    api.post(f"runs/{started['run']}/stop", {})
    api.ended(started["run"])
    told = api.get(f"runs/{started['run']}")
    assert told["state"] == "interrupted"
    assert told["verdicts"] == len(api.model.asked) < 400  # replies under way were kept
    api.model.answer = lambda _: says(GOOD)
    again = api.post("runs", body, 202)
    assert again["run"] == started["run"]
    assert again["job"] != started["job"]
    assert api.get(f"runs/{api.ended(again['run'])}")["verdicts"] == 400
    assert len(api.model.asked) == 400


def test_only_runs_in_hand_can_be_stopped(api: Api) -> None:
    assert api.problem(f"runs/{api.run()}/stop", {})["status"] == 409


def test_others_wait_for_their_turn(api: Api) -> None:
    api.model.answer = lambda _: after(0.6, says(GOOD))
    started = []
    for n in range(3):
        rows = [{"id": "x", **ITEM, "answer": f"Answer {n}."}]
        started.append(api.post("runs", {"judges": ["helpfulness"], "rows": rows}, 202)["run"])
    api.model.wait_for(2)
    assert api.get(f"runs/{started[2]}")["state"] == "waiting"
    api.post(f"runs/{started[2]}/stop", {})
    for run in started:
        api.ended(run)
    assert api.get(f"runs/{started[2]}")["state"] == "interrupted"
    assert len(api.model.asked) == 2


def test_a_run_that_fails_says_why(api: Api) -> None:
    api.model.answer = lambda _: fails(401, "wrong key")
    run = api.run()
    told = api.get(f"runs/{run}")
    assert told["state"] == "failed"
    assert "401" in told["problem"] or "key" in told["problem"]


def test_a_file_that_unpacks_to_too_much_is_refused(api: Api) -> None:
    api.running.service.jobs.uploads.workers = Workers(WorkerLimits(1000))
    packed = gzip.compress(b"question,answer\n" + b"Q?,A.\n" * 1000)
    body, headers = form({"judges": ["helpfulness"]}, "bomb.csv.gz", packed)
    headers |= by_token(api)
    problem = api.problem("runs", body, headers=headers)
    assert problem["status"] == 422
    assert "bomb.csv.gz: unpacks to more than 1,000 bytes" in problem["detail"]
    assert list(api.running.service.jobs.uploads.folder.iterdir()) == []


def delete(api: Api, run: str, scope: TokenScope | None = None) -> tuple[int, dict[str, object]]:
    headers = {}
    if scope:
        token, kept = new_token(scope, scope)
        api.running.service.store.tokens.put(kept)
        headers = {"Authorization": f"Bearer {token}"}
    answer = api.running.ask(f"/api/v1/runs/{run}", method="DELETE", headers=headers)
    return answer.status, answer.json


def test_a_run_goes_with_its_texts_and_replies(
    api: Api, capsys: pytest.CaptureFixture[str]
) -> None:
    first, other = api.run(2), api.run(4)
    api.get(f"runs/{first}")  # its figures are remembered
    with observability.logging_to_stderr("json"):
        status, told = delete(api, first, "admin")
    assert (status, told) == (200, {"run": first, "items": 2, "verdicts": 2, "replies": 2})
    assert [each["run"] for each in api.get("runs")["runs"]] == [other]
    for path in (f"runs/{first}", f"runs/{first}/verdicts", f"labels?run={first}"):
        assert api.problem(path)["status"] == 404
    lines = [json.loads(line) for line in capsys.readouterr().err.splitlines()]
    (said,) = [each for each in lines if each["message"] == "run deleted"]
    (token,) = api.running.service.store.tokens.all()
    assert (said["run"], said["token"]) == (first, token.id)


def test_replies_that_another_run_paid_for_stay(api: Api) -> None:
    first = api.run(2)
    larger = api.run(3)  # two of its three requests were answered before
    assert len(api.model.asked) == 3
    assert delete(api, larger)[1]["replies"] == 1
    assert api.running.service.store.replies.info().replies == 2
    assert api.get(f"runs/{first}")["verdicts"] == 2


def test_the_same_request_begins_the_run_anew(api: Api) -> None:
    run = api.run(2)
    assert api.get(f"runs/{run}")["criteria"][0]["mean"] == 3.0
    delete(api, run)
    api.model.answer = lambda _: says(GOOD.replace("3", "4"))
    assert api.run(2) == run
    told = api.get(f"runs/{run}")
    assert (told["verdicts"], told["criteria"][0]["mean"]) == (2, 4.0)
    assert len(api.model.asked) == 4


def test_a_run_under_way_is_refused_until_its_last_reply_is_there(api: Api) -> None:
    api.model.answer = lambda _: after(0.5, says(GOOD))
    rows = [{"id": f"r{n}", **ITEM, "answer": f"Answer {n}."} for n in range(200)]
    run = api.post("runs", {"judges": ["helpfulness"], "rows": rows}, 202)["run"]
    api.model.wait_for(3)
    assert delete(api, run)[0] == 409
    api.post(f"runs/{run}/stop", {})
    status, told = delete(api, run)  # replies under way are still kept
    assert (status, told["type"]) == (409, "urn:adjudge:problem:conflict")
    for _ in range(200):
        if delete(api, run)[0] == 200:
            break
        time.sleep(0.05)
    assert api.get("runs")["total"] == 0
    assert api.running.service.store.replies.info().replies == 0
    assert b"Answer" not in readable(Path(api.running.service.store.where))


@pytest.mark.parametrize("scope", ["read", "judge"])
def test_below_admin_nothing_is_deleted(api: Api, scope: TokenScope) -> None:
    run = api.run(1)
    assert delete(api, run, scope)[0] == 403
    assert api.get(f"runs/{run}")["verdicts"] == 1


def test_a_run_is_named_in_full(api: Api) -> None:
    run = api.run(1)
    for name in ("latest", run[:6]):
        status, told = delete(api, name)
        assert (status, run in str(told["detail"])) == (422, True)
    assert delete(api, "none")[0] == 404
    assert delete(api, run)[0] == 200
    assert delete(api, run)[0] == 404
