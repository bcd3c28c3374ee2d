"""Starting a run from a page."""

from __future__ import annotations

import json
import re
import time
import unicodedata
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import parse_qsl, urlencode, urlsplit

import openpyxl
import pytest
from tests.service import Running
from tests.unit.service.security.client import Answer, Client

from adjudge.service.pages.new_run import _ending

from .seen import Seen
from .shop import Shop, rows

_EDGE = "----edge"


def _post(
    visit: Client,
    path: str,
    fields: Mapping[str, str],
    file: tuple[str, bytes] | None = None,
    headers: Mapping[str, str] | None = None,
) -> Answer:
    """A form as a browser sends it."""
    parts = [
        f'--{_EDGE}\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n'.encode()
        for name, value in ({"csrf": visit.mark()} | dict(fields)).items()
    ]
    name, body = file or ("", b"")
    head = f'--{_EDGE}\r\nContent-Disposition: form-data; name="file"; filename="{name}"\r\n'
    parts += [head.encode(), b"Content-Type: application/octet-stream\r\n\r\n", body, b"\r\n"]
    parts.append(f"--{_EDGE}--\r\n".encode())
    kind = {"Content-Type": f"multipart/form-data; boundary={_EDGE}"}
    return visit("POST", path, b"".join(parts), kind | dict(headers or {}))


def _send(
    visit: Client,
    fields: Mapping[str, str],
    file: tuple[str, bytes] | None = None,
    headers: Mapping[str, str] | None = None,
) -> Answer:
    """Both steps: what the first says where it refuses the data, else what the second says."""
    rest = dict(fields)
    answer = _post(visit, "/runs/new", {"rows": rest.pop("rows", "")}, file, headers)
    wants_json = dict(headers or {}).get("Accept") == "application/json"
    where = answer.json.get("next") if wants_json else answer.headers.get("Location")
    if not where:
        return answer
    sent = dict(parse_qsl(urlsplit(where).query))
    return _post(visit, "/runs", sent | rest, None, headers)


def _jsonl(count: int) -> bytes:
    return "\n".join(json.dumps(row, ensure_ascii=False) for row in rows()[:count]).encode()


def _ended(running: Running, run: str) -> str:
    for _ in range(200):
        state = running.service.store.runs.find(run).state
        if state != "running":
            return state
        time.sleep(0.05)
    return "running"


def test_what_there_is_to_choose_from(shop: Shop, visit: Client) -> None:
    seen = Seen(visit.get("/runs/new?judge=shop").text)
    assert ".csv" in seen.all("input", "accept")[0]
    where = _sent(visit, "a.csv", b"question,answer\nWhy?,Because.\n")
    seen = Seen(visit.get(f"{where}&judge=shop").text)
    assert {"shop", "helpfulness", *shop.models} <= {*seen.all("input", "value")}
    chosen = [attrs["value"] for _, attrs in seen.tags if "checked" in attrs]
    assert chosen == ["shop", shop.models[0]]


def test_an_uploaded_file_becomes_a_run(shop: Shop, visit: Client, open_shop: Running) -> None:
    fields = {"judge": "shop", "model": shop.models[1], "limit": "3"}
    answer = _send(visit, fields, ("../my data.jsonl", _jsonl(4)))
    assert answer.status == 303, answer.text
    run = answer.headers["Location"].removeprefix("/runs/")
    assert _ended(open_shop, run) == "finished"
    record = open_shop.service.store.runs.find(run)
    assert (record.rows, record.manifest.data) == (3, "my data.jsonl")
    assert record.manifest.models == (shop.models[1],)
    assert "my data.jsonl" in Seen(visit.get(answer.headers["Location"]).text).text


def test_pasted_rows_become_a_run_for_the_script(visit: Client, open_shop: Running) -> None:
    pasted = "id\tquestion\tanswer\nitem-0\tQuestion 0?\tAnswer 0.\n"
    answer = _send(visit, {"judge": "shop", "rows": pasted}, headers={"Accept": "application/json"})
    assert answer.status == 200, answer.text
    assert _ended(open_shop, answer.json["next"].removeprefix("/runs/")) == "finished"


@pytest.mark.parametrize(
    ("fields", "file", "said"),
    [
        ({}, ("a.jsonl", b"{}"), "Choose a judge."),
        ({"judge": "shop"}, None, "Choose a data file, or paste rows."),
        ({"judge": "nobody", "rows": "a\n1"}, None, "There is no judge"),
        (
            {"judge": "shop", "model": "openai/x", "rows": "question,answer\na,b"},
            None,
            "not offered",
        ),
        ({"judge": "shop"}, ("a.pdf", b"x"), "a.pdf: the ending"),
        ({"judge": "shop"}, ("a.csv", b""), "a.csv: the file is empty"),
        ({"judge": "shop"}, ("a.csv", b"question,answer\n"), "a.csv: there are no rows"),
        ({"judge": "shop"}, ("a.jsonl", _jsonl(1) + b'\n{"question"'), "line 2"),
        (
            {"judge": "shop", "rows": "question,reply\na,b"},
            None,
            "'answer'; name it: “Columns” › answer.",
        ),
        ({"judge": "shop", "rows": "a,b\n1,2", "data": "0" * 64}, None, "send it again"),
        ({"judge": "shop", "rows": "a,b\n1,2", "data": "../s.db"}, None, "send it again"),
        (
            {"judge": "shop", "rows": "question,answer\na,b"},
            ("a.csv", b"question,answer\na,b"),
            "leave one of them out",
        ),
        (
            {"judge": "shop", "rows": "question,answer\na,b", "map": "answer reply"},
            None,
            "“Columns” answer reply: write one line",
        ),
        ({"judge": "shop", "rows": "question,answer\na,b\n,c"}, None, "“Skip broken rows”"),
        (
            {"judge": "shop", "encoding": "cp949"},
            ("한국 data.csv", "question,answer\nGrüße,schön\n".encode("cp1252") * 9),
            "cannot be read as cp949",
        ),
        (
            {"judge": "shop", "rows": "question,answer\na,b", "repeat": "some"},
            None,
            "“Samples per item” some",
        ),
        (
            {"judge": "shop", "rows": "question,answer\na,b", "limit": "0"},
            None,
            "“First rows only” 0",
        ),
        ({"judge": "shop", "rows": "question,answer\na,b", "explain_in": "kr"}, None, "ko"),
    ],
)
def test_what_is_wrong_is_said_beside_the_form_and_the_input_is_kept(
    visit: Client,
    open_shop: Running,
    fields: dict[str, str],
    file: tuple[str, bytes] | None,
    said: str,
) -> None:
    before = len(open_shop.service.store.runs.all())
    answer = _send(visit, fields, file)
    seen = Seen(answer.text)
    assert answer.status in {404, 422}
    assert "The run was not started; nothing was spent." in seen.text
    assert said in seen.text
    if "send it again" not in said:
        kept = {fields.get("repeat"), fields.get("limit")} - {None}
        assert kept <= {*seen.all("input", "value")}
    where = str(Path(open_shop.service.store.where).parent)
    assert where not in answer.text
    assert open_shop.service.jobs.uploads.folder.parent.name not in seen.text
    for_script = _send(visit, fields, file, {"Accept": "application/json"})
    assert said in "\n".join(line["text"] for line in for_script.json["problem"])
    in_korean = {"Accept": "application/json", "Accept-Language": "ko"}
    lines = _send(visit, fields, file, in_korean).json["problem"]
    assert [line for line in lines if line["lang"]] == []
    assert all(re.search("[가-힣]", line["text"]) for line in lines)
    assert len(open_shop.service.store.runs.all()) == before


def test_only_our_own_form_starts_a_run(visit: Client) -> None:
    parts = f'--{_EDGE}\r\nContent-Disposition: form-data; name="judge"\r\n\r\nshop\r\n--{_EDGE}--'
    kind = {"Content-Type": f"multipart/form-data; boundary={_EDGE}"}
    assert visit("POST", "/runs", parts.encode(), kind).status == 403


def test_stopping_a_run_that_is_not_in_hand_leads_back_to_it(shop: Shop, visit: Client) -> None:
    answer = visit.send(f"/runs/{shop.half}/stop")
    assert (answer.status, answer.headers["Location"]) == (303, f"/runs/{shop.half}?elsewhere=1")


def test_what_was_said_makes_the_run_start(visit: Client, open_shop: Running) -> None:
    rows = "id,question,text of it\nitem-6,Question 6?,Answer 6.\nitem-7,,x\n"
    fields = {"judge": "shop", "rows": rows, "map": "'answer=text of it'", "skip_bad_rows": "1"}
    answer = _send(visit, fields)
    assert answer.status == 303, Seen(answer.text).text
    run = answer.headers["Location"].removeprefix("/runs/")
    assert _ended(open_shop, run) == "finished"
    record = open_shop.service.store.runs.find(run)
    assert (record.rows, record.bad_rows) == (1, 1)


def test_the_same_data_again_lead_to_the_run_as_it_was(
    shop: Shop, visit: Client, open_shop: Running
) -> None:
    fields = {"judge": "shop", "model": shop.models[0], "limit": "2"}
    run = _send(visit, fields, ("a.jsonl", _jsonl(3))).headers["Location"].removeprefix("/runs/")
    assert _ended(open_shop, run) == "finished"
    before = open_shop.service.store.runs.find(run)
    again = _send(visit, fields, ("a.jsonl", _jsonl(3)))
    assert again.headers["Location"] == f"/runs/{run}?already=1"
    assert "nothing was asked again" in Seen(visit.get(again.headers["Location"]).text).text
    assert open_shop.service.store.runs.find(run) == before


@pytest.mark.parametrize(
    ("rows", "ending"),
    [
        ('\ufeff\n {"a": 1}\n', ".jsonl"),
        ('[{"a": 1}]', ".json"),
        ("question\tanswer\na\tb", ".tsv"),
        ("question,answer\na,b\tc", ".csv"),
    ],
)
def test_what_pasted_rows_look_like(rows: str, ending: str) -> None:
    assert _ending(rows) == ending


def _sent(visit: Client, name: str, body: bytes) -> str:
    """The address of the second step."""
    answer = _post(visit, "/runs/new", {}, (name, body))
    assert answer.status == 303, answer.text
    return str(answer.headers["Location"])


def _selected(seen: Seen, select: str) -> str:
    """The value of the option that is selected in a field."""
    inside = False
    for tag, attrs in seen.tags:
        if tag == "select":
            inside = attrs.get("name") == select
        elif tag == "option" and inside and "selected" in attrs:
            return str(attrs.get("value"))
    return ""


def test_unknown_columns_are_proposed_and_what_it_takes_is_foreseen(
    visit: Client, shop: Shop
) -> None:
    table = (
        "번호,문의 내용,상담원 회신\n1,언제 오나요?,내일 도착합니다.\n2,얼마예요?,오천 원입니다.\n"
    )
    where = _sent(visit, "문의.csv", table.encode("cp949"))
    seen = Seen(visit.get(f"{where}&{urlencode({'judge': 'shop', 'model': shop.models[0]})}").text)
    assert _selected(seen, "encoding") == "CP949"
    assert _selected(seen, "column.question") == "문의 내용"
    assert _selected(seen, "column.answer") == "상담원 회신"
    assert "내일 도착합니다." in seen.text
    assert "Estimated from the first 2 rows." in seen.text
    assert "2 rows" in seen.text


def test_a_workbook_with_two_sheets_asks_which(visit: Client, tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    for name, answer in (("first", "one"), ("second", "two")):
        sheet = book.create_sheet(name)
        sheet.append(["question", "answer"])
        sheet.append(["Why?", f"Because of {answer}."])
    book.save(tmp_path / "two.xlsx")
    where = _sent(visit, "two.xlsx", (tmp_path / "two.xlsx").read_bytes())
    first, second = (Seen(visit.get(where + more).text) for more in ("", "&table=second"))
    assert "Because of one." in first.text
    assert "Because of two." in second.text
    assert "no sheet" in Seen(visit.get(f"{where}&table=third").text).text


@pytest.mark.parametrize("codec", ["cp949", "utf-16", "utf-16-le", "cp932", "cp1258"])
def test_what_a_file_is_written_in_is_found_out(visit: Client, codec: str) -> None:
    texts = {
        "cp932": "配送はいつになりますか。",
        "cp1258": "Đơn hàng của tôi khi nào đến và phải là",
    }
    text = texts.get(codec, "배송은 언제 도착하나요")
    table = "question,answer\n" + f"{text},{text}\n" * 5
    page = Seen(visit.get(_sent(visit, "a.csv", _encoded(table, codec))).text).text
    assert text in page


def _encoded(text: str, codec: str) -> bytes:
    if codec != "cp1258":
        return text.encode(codec)
    out = ""  # a tone is a sign of its own there, behind its whole letter
    for sign in text:
        parts = unicodedata.normalize("NFD", sign)
        tone = "".join(part for part in parts if part in "\u0300\u0301\u0303\u0309\u0323")
        bare = "".join(part for part in parts if part not in tone)
        out += unicodedata.normalize("NFC", bare) + tone
    return out.encode(codec)


def test_each_judge_is_offered_once_with_its_wordings(visit: Client) -> None:
    where = _sent(visit, "a.csv", b"question,answer\nWhy?,Because.\n")
    seen = Seen(visit.get(f"{where}&judge=helpfulness-ko").text)
    names = [attrs["value"] for tag, attrs in seen.tags if attrs.get("name") == "judge"]
    assert len(names) == len(set(names)) < 20
    assert {"helpfulness", "shop"} <= {*names}
    assert _selected(seen, "wording.helpfulness") == "helpfulness-ko"


@pytest.mark.parametrize(
    ("path", "leads"),
    [("/runs", "/"), ("/judges/shop/try", "/judges/shop"), ("/judges/shop/prompt", "/judges/shop")],
)
def test_the_address_of_a_form_leads_to_its_page(visit: Client, path: str, leads: str) -> None:
    """As when the language is changed after a form was sent: never 405."""
    answer = visit.get(path)
    assert (answer.status, answer.headers["Location"]) == (303, leads)


def test_what_was_chosen_without_a_script_is_in_the_address_and_the_token_is_not(
    visit: Client,
) -> None:
    where = _sent(visit, "a.csv", b"text,reply\nWhy?,Because.\n")
    sent = dict(parse_qsl(urlsplit(where).query))
    chosen = {"judge": "shop", "column.answer": "reply", "limit": ""}
    answer = _post(visit, "/runs/new", sent | chosen)
    assert answer.status == 303
    kept = dict(parse_qsl(urlsplit(answer.headers["Location"]).query))
    assert kept == sent | {"judge": "shop", "column.answer": "reply"}
