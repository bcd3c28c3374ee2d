"""A run's page, its plots and its files."""

from __future__ import annotations

import csv
import io
import json
import re
import socket
import threading
import time
from dataclasses import replace
from http.client import IncompleteRead, RemoteDisconnected
from urllib.parse import quote, urlencode, urlsplit

import pytest
from tests.service import Running
from tests.unit.service.security.client import Client

from adjudge.errors import StoreError
from adjudge.reports.files import WRITERS
from adjudge.service import caches
from adjudge.service.pages.run_files import THREAD, attachment, file_stem

from .seen import Seen
from .shop import HOSTILE, ITEMS, ODD_ID, Shop, rows


def _page(visit: Client, run: str, **params: str) -> Seen:
    answer = visit.get(f"/runs/{run}?{urlencode(params)}")
    assert answer.status == 200, answer.text
    return Seen(answer.text)


def _ids(seen: Seen) -> list[str]:
    """The items of the table, by their links."""
    known = {quote(row["id"], safe="/"): row["id"] for row in rows()}
    return [known[link.split("id=")[1].split("&")[0]] for link in seen.items()]


def test_what_the_run_came_to(shop: Shop, visit: Client) -> None:
    for tab, told in {
        "": ("shop v3 on data.jsonl", "3.00 / 10 [1.04, 4.96]", "fact 60%, advice 40%"),
        "scores": ("1 unreadable", "3.00 / 10 [1.04, 4.96]"),
        "facts": ("rude-caps", "version 3", "data.jsonl"),
    }.items():
        text = _page(visit, shop.half, tab=tab).text
        assert all(words in text for words in told)
    seen = _page(visit, shop.half, tab="scores")
    plots = [link for link in seen.all("img", "src") if "/plots/" in link]
    assert len(plots) == 4  # the means together, and each distribution
    assert all(alt for alt in seen.all("img", "alt")[1:])


def test_hostile_texts_are_shown_as_texts(shop: Shop, visit: Client) -> None:
    seen = _page(visit, shop.both)
    assert HOSTILE in seen.text
    assert ODD_ID[:30] in seen.text
    assert seen.all("script", "src") == ["/static/app.js", "/static/run.js"]


def test_all_items_in_the_order_of_the_data(shop: Shop, visit: Client) -> None:
    assert _ids(_page(visit, shop.both, sort="position")) == [row["id"] for row in rows()]


@pytest.mark.parametrize(
    ("params", "expected"),
    [
        ({"search": "question 7"}, [7]),
        ({"outcome": "unscored"}, [5]),
        ({"criterion": "quality", "outcome": "unreadable"}, [5]),
        ({"rule": "rude-caps"}, [3]),
        ({"rule": "any"}, [3]),
        ({"criterion": "quality", "low": "6.9"}, [6]),
        ({"criterion": "quality", "low": "4", "high": "4"}, [3, 10]),
        ({"criterion": "polite", "value": "no"}, [1, 3, 7, 9, 11]),
        ({"criterion": "kind", "value": "fact"}, [0, 2, 4, 6, 8, 10]),
        ({"search": "nowhere"}, []),
    ],
)
def test_filters(shop: Shop, visit: Client, params: dict[str, str], expected: list[int]) -> None:
    ids = [rows()[number]["id"] for number in expected]
    model = {} if "search" in params else {"model": shop.models[0]}
    assert _ids(_page(visit, shop.both, **params, **model)) == ids


def test_criteria_are_chosen_by_their_titles(shop: Shop, visit: Client) -> None:
    html = visit.get(f"/runs/{shop.half}?criterion=polite").text
    assert '<option value="quality">How good</option>' in html
    assert '<option value="polite" selected>Politeness</option>' in html
    # Gates and columns are typed by the name, so the means have both.
    html = visit.get(f"/runs/{shop.half}?tab=scores").text
    assert re.search(r"<bdi>How good</bdi></a> <code[^>]*>quality</code>", html)


def test_a_click_on_a_heading_sorts_and_another_turns_round(shop: Shop, visit: Client) -> None:
    def heading(seen: Seen) -> str:
        links = [link for link in seen.all("a", "href") if "sort=score" in link]
        return next(link for link in links if "criterion=quality" in link and link[-6:] == "#items")

    first = Seen(visit.get(heading(_page(visit, shop.half)).partition("#")[0]).text)
    assert _ids(first) == ["item-0", ODD_ID, "item-2", "item-3", "item-4", "item-5"]
    assert first.all("th", "aria-sort") == ["ascending"]
    turned = next(
        link
        for link in first.all("a", "href")
        if "sort=score" in link and "criterion=quality" in link and "down=1" in link
    )
    second = Seen(visit.get(turned.partition("#")[0]).text)
    assert second.all("th", "aria-sort") == ["descending"]
    assert _ids(second)[0] == "item-4"
    assert _ids(second)[-1] == "item-5"  # without a score, last either way


def test_pages_lead_on_with_the_same_question(shop: Shop, visit: Client) -> None:
    seen = _page(visit, shop.both, size="5", outcome="scored")
    assert "page 1 of 3" in seen.text
    (after,) = (link for link in seen.all("a", "href") if "page=2" in link)
    second = Seen(visit.get(after.partition("#")[0]).text)
    assert len(second.items()) == 5
    assert "outcome=scored" in after
    assert not {*seen.items()} & {*second.items()}


def test_links_to_items_carry_the_order(shop: Shop, visit: Client) -> None:
    seen = _page(visit, shop.both, sort="disagreement", down="1")
    assert all(link.endswith("&sort=disagreement&down=1") for link in seen.items())


def test_slices_by_a_column(shop: Shop, visit: Client) -> None:
    seen = _page(visit, shop.both, slice="channel")
    assert "channel" in seen.all("option", "value")
    (plot,) = [link for link in seen.all("img", "src") if "/plots/slices.svg" in link]
    assert "column=channel" in plot
    assert visit.get(f"/runs/{shop.both}?slice=nothing").status == 422


def test_slices_that_take_long(
    shop: Shop, open_shop: Running, visit: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The page comes without them and says so, and the browser asks again."""
    with monkeypatch.context() as hurried, open_shop.service.slices.turn:
        hurried.setattr(caches, "PATIENCE", 0.0)
        first = visit.get(f"/runs/{shop.half}?slice=channel")
        assert first.headers["refresh"] == "1"
        assert "are being divided by this column" in first.text
        assert len(Seen(visit.get(f"/runs/{shop.half}").text).items()) > 0
    later = visit.get(f"/runs/{shop.half}?slice=channel")
    assert "refresh" not in later.headers
    assert "being divided" not in later.text


@pytest.mark.parametrize("params", ["low=much", "sort=colour", "criterion=nothing", "low=3"])
def test_a_question_that_makes_no_sense_is_said_beside_the_form(
    shop: Shop, visit: Client, params: str
) -> None:
    answer = visit.get(f"/runs/{shop.both}?{params}")
    seen = Seen(answer.text)
    assert answer.status == 422
    assert "alert" in [attrs.get("role") for _, attrs in seen.tags]
    assert seen.items() == []
    assert "3.36" in seen.text  # the rest of the page is there


def test_names_of_runs(shop: Shop, visit: Client) -> None:
    latest = visit.get("/runs/latest?outcome=scored")
    assert latest.status == 307
    assert latest.headers["Location"] == f"/runs/{shop.both}?outcome=scored"
    assert visit.get("/runs/nothing").status == 404


@pytest.mark.parametrize("language", ["en", "ko", "vi"])
def test_every_language(shop: Shop, visit: Client, language: str) -> None:
    answer = visit.get(f"/runs/{shop.both}", {"Accept-Language": language})
    assert f'<html lang="{language}">' in answer.text


def test_plots_are_images_that_are_not_sent_twice(shop: Shop, visit: Client) -> None:
    for link in Seen(visit.get(f"/runs/{shop.half}?slice=channel").text).all("img", "src"):
        if "/plots/" not in link:
            continue
        first = visit.get(link)
        assert first.status == 200, link
        assert first.headers["Content-Type"].startswith("image/svg+xml")
        assert first.text.lstrip().startswith(("<?xml", "<svg"))
        again = visit.get(link, {"If-None-Match": first.headers["ETag"]})
        assert (again.status, again.body) == (304, b"")
        other = visit.get(link, {"If-None-Match": first.headers["ETag"], "Accept-Language": "ko"})
        assert other.status == 200


def test_plots_of_what_is_not_there(shop: Shop, visit: Client) -> None:
    path = f"/runs/{shop.half}/plots/distribution.svg"
    assert visit.get(f"{path}?judge=shop&model=none&criterion=quality").status == 422
    assert visit.get(path).status == 422
    assert visit.get(f"/runs/{shop.half}/plots/ranking.svg").status == 422
    assert visit.get("/runs/nothing/plots/means.svg").status == 404


def test_csv_as_the_command_line_writes_it(shop: Shop, visit: Client, open_shop: Running) -> None:
    answer = visit.get(f"/runs/{shop.both}/export.csv")
    assert answer.headers["Content-Disposition"] == _named(f"shop data {shop.both[:6]}.csv")
    file = shop.folder / "export.csv"
    open_shop.service.run(shop.both).export(file)
    assert answer.body == file.read_bytes()
    table = list(csv.DictReader(io.StringIO(answer.body.decode("utf-8-sig"))))
    assert len(table) == 2 * ITEMS
    assert "data.answer" not in table[0]


def test_json_lines_with_inputs(shop: Shop, visit: Client) -> None:
    body = visit.get(f"/runs/{shop.both}/export.jsonl?inputs=1").body
    lines = [json.loads(line) for line in body.splitlines()]
    assert len(lines) == 2 * ITEMS
    assert {line["item"]: line["data"]["answer"] for line in lines} == {
        row["id"]: row["answer"] for row in rows()
    }
    assert visit.get(f"/runs/{shop.both}/export.exe").status == 422


@pytest.mark.parametrize("ending", ["csv", "jsonl"])
def test_whoever_leaves_in_the_midst_of_a_file_leaves_nothing_behind(
    shop: Shop, visit: Client, ending: str
) -> None:
    with socket.create_connection((urlsplit(visit.url).hostname, urlsplit(visit.url).port)) as wire:
        path = f"/runs/{shop.both}/export.{ending}?inputs=1"
        wire.sendall(f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".encode())
        came = b""
        while b"item" not in came:  # so the file has begun
            came += wire.recv(1000)
        assert came.startswith(b"HTTP/1.1 200")
    for _ in range(200):
        if not [each for each in threading.enumerate() if each.name == THREAD]:
            break
        time.sleep(0.05)
    assert not [each for each in threading.enumerate() if each.name == THREAD]
    assert visit.get("/").status == 200


def test_a_file_that_cannot_be_finished_does_not_look_whole(
    shop: Shop, visit: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> None:
        raise StoreError("The disk is gone.")

    monkeypatch.setitem(WRITERS, ".csv", broken)  # type: ignore[arg-type]
    with pytest.raises((IncompleteRead, ConnectionError, RemoteDisconnected)):
        visit.get(f"/runs/{shop.half}/export.csv")


def test_the_report(shop: Shop, visit: Client) -> None:
    answer = visit.get(f"/runs/{shop.half}/report.html", {"Accept-Language": "ko"})
    assert answer.headers["Content-Disposition"] == _named(f"shop data {shop.half[:6]}.html")
    assert 'lang="ko"' in answer.text
    assert shop.half in answer.text


def test_a_page_beyond_the_last_is_the_last(shop: Shop, visit: Client) -> None:
    seen = _page(visit, shop.both, page="99", size="5", sort="position")
    assert _ids(seen) == [row["id"] for row in rows()[10:]]
    assert "page 3 of 3" in " ".join(seen.text.split())


def test_what_disagreement_is_about(shop: Shop, visit: Client) -> None:
    assert "the largest of all criteria" in _page(visit, shop.both).text
    seen = _page(visit, shop.both, criterion="quality")
    assert "Disagreement: How good" in seen.text
    assert "Here it is that of How good." in seen.text
    assert "Disagreement" not in _page(visit, shop.half).text


def _fields(seen: Seen) -> set[str]:
    return {*seen.all("input", "name"), *seen.all("select", "name")}


def test_scores_are_filtered_by_once_it_is_clear_which(shop: Shop, visit: Client) -> None:
    assert not {"low", "high", "value", "scores_of"} & _fields(_page(visit, shop.both))
    number = _fields(_page(visit, shop.both, criterion="quality"))
    assert {"low", "high"} <= number
    assert "value" not in number
    name = _fields(_page(visit, shop.both, criterion="kind"))
    assert "value" in name
    assert not {"low", "high"} & name


@pytest.mark.parametrize("criterion", ["quality", "polite", ""])
def test_another_criterion_in_a_filled_form(shop: Shop, visit: Client, criterion: str) -> None:
    """As the form sends itself when the criterion is changed: with what stood beside it."""
    before = _page(visit, shop.both, criterion="kind", value="fact", sort="score")
    hidden = [attrs for tag, attrs in before.tags if tag == "input"]
    sent = {str(each["name"]): str(each["value"]) for each in hidden if each.get("value")}
    assert sent["scores_of"] == "kind"
    sent = {name: sent[name] for name in ("scores_of", "sort")}
    after = _page(visit, shop.both, **sent, value="fact", criterion=criterion)
    assert len(after.items()) == ITEMS


def test_links_to_another_criterion_leave_its_scores_behind(shop: Shop, visit: Client) -> None:
    seen = _page(visit, shop.half, criterion="kind", value="fact")
    links = {link.partition("#")[0] for link in seen.all("a", "href") if "sort=score" in link}
    assert len(links) > 2
    assert {visit.get(link).status for link in links} == {200}
    assert any("value=fact" in link for link in links)  # those to the same criterion keep them


def test_a_run_of_another_process_is_not_stopped_and_says_so(
    shop: Shop, visit: Client, open_shop: Running
) -> None:
    store = open_shop.service.store
    record = replace(store.runs.find(shop.half), id="elsewhere000")
    store.runs.start(record)
    answer = visit.send(f"/runs/{record.id}/stop")
    assert answer.status == 303
    seen = Seen(visit.get(answer.headers["location"]).text)
    assert "another process is running it" in seen.text
    assert not any("elsewhere=" in link for link in seen.all("a", "href"))
    store.runs.end(record.id, "interrupted")
    ended = Seen(visit.get(answer.headers["location"]).text)
    assert "another process" not in ended.text


SURE: tuple[dict[str, float], ...] = (
    {"quality": 0.9, "polite": 0.5},
    {"quality": 0.6, "polite": 0.6},
    {},
)


@pytest.fixture(scope="module")
def confident(shop: Shop, open_shop: Running) -> str:
    """A run of three items: the criteria of two differ in confidence, the third tells none."""
    store = open_shop.service.store
    record = replace(store.runs.find(shop.half), id="confident000")
    store.runs.start(record)
    for entry, sure in zip(store.verdicts.entries(shop.half), SURE, strict=False):
        scores = {
            name: replace(score, confidence=sure.get(name))
            for name, score in entry.verdict.scores.items()
        }
        store.verdicts.put(
            record.id, [entry._replace(verdict=replace(entry.verdict, scores=scores))]
        )
    store.runs.end(record.id, "finished")
    return record.id


def _confidences(seen: Seen) -> list[str]:
    """As they stand before the latency of each item."""
    return re.findall(r"(\d+%|–)\d+ ms", " ".join(seen.text.split()))


def test_a_column_of_confidence_that_sorts(confident: str, visit: Client) -> None:
    seen = _page(visit, confident)
    assert "the mean over all criteria" in seen.text
    link = next(link for link in seen.all("a", "href") if "sort=confidence" in link)
    least = Seen(visit.get(link.partition("#")[0]).text)
    assert _ids(least) == [ODD_ID, "item-0", "item-2"]
    assert least.all("th", "aria-sort") == ["ascending"]
    assert _confidences(least) == ["60%", "70%", "–"]
    most = _page(visit, confident, sort="confidence", down="1")
    assert _ids(most) == ["item-0", ODD_ID, "item-2"]


def test_confidence_of_the_chosen_criterion(confident: str, visit: Client) -> None:
    seen = _page(visit, confident, criterion="polite", sort="confidence")
    assert "Confidence: Politeness" in seen.text
    assert _ids(seen) == ["item-0", ODD_ID, "item-2"]
    assert _confidences(seen) == ["50%", "60%", "–"]


def test_no_confidence_where_nothing_tells_one(shop: Shop, visit: Client) -> None:
    assert "Confidence" not in _page(visit, shop.half).text


def _named(name: str) -> str:
    return f"attachment; filename=\"{name}\"; filename*=UTF-8''{quote(name)}"


def test_a_download_has_the_name_of_the_data_in_any_language(
    shop: Shop, open_shop: Running
) -> None:
    record = open_shop.service.store.runs.find(shop.half)
    manifest = replace(record.manifest, data="thư mục/Câu hỏi, khách hàng.csv.gz")
    stem = file_stem(replace(record, manifest=manifest))
    assert stem == f"shop Câu hỏi- khách hàng {shop.half[:6]}"
    named = replace(record, manifest=replace(manifest, name="Bản 2"))
    assert file_stem(named) == f"Bản 2 {shop.half[:6]}"
    disposition = attachment(f"{stem}.csv")["Content-Disposition"]
    assert disposition.isascii()
    assert quote("Câu hỏi") in disposition
