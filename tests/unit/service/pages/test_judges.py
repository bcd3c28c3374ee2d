"""The pages of the judges: what they ask, their prompts, and trying them."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.servers import chat_server, says
from tests.service import Running, running_service

import adjudge
from adjudge.datasets.items import single_item
from adjudge.judges import registry
from adjudge.judges.fence import make_mark
from adjudge.judges.load import load_text
from adjudge.service.options import ServeOptions

from ..security.client import Answer, Client, bearer, token
from .seen import Seen
from .shop import HOSTILE, JUDGE, LONG, Shop

ODD = JUDGE.replace("judge: shop", "judge: odd").replace(
    "Was the customer served well?", '"<img src=x onerror=alert(1)>"'
)


def language(code: str) -> dict[str, str]:
    return {"Accept-Language": code}


def seen(visit: Client, path: str, code: str = "en") -> Seen:
    answer = visit.get(path, language(code))
    assert answer.status == 200, answer.text
    return Seen(answer.text)


def test_the_list(visit: Client) -> None:
    found = seen(visit, "/judges")
    for name in ("chatbot", "gptscore", "helpfulness", "preference", "shop"):
        assert f"/judges/{name}" in found.all("a", "href")
    listed = found.all("a", "href")
    for name in registry.names():
        _, *others = registry.wordings(name)
        for worded in (name, *(f"{name}-{language}" for language in others)):
            assert f"/judges/{worded}" in listed
    assert "built in" in found.text
    assert "from a file" in found.text
    assert "Vietnamese" in found.text


@pytest.mark.parametrize("form", ["try", "prompt"])
def test_the_address_of_a_form_leads_back_to_its_page(visit: Client, form: str) -> None:
    """As the links to other languages do after a form was sent."""
    answer = visit.get(f"/judges/helpfulness/{form}")
    assert (answer.status, answer.headers["location"]) == (303, "/judges/helpfulness")


class TestOneJudge:
    def test_rubric_and_rules(self, visit: Client) -> None:
        text = seen(visit, "/judges/chatbot").text
        for part in (
            "Completeness (Tính đầy đủ)",
            "a number from 0.0 to 10.0",
            "Completeness (Tính đầy đủ) at most 6",
            "an agent's trace is cut",
            "Also read from: true_answer",
        ):
            assert part in text

    def test_levels_steps_and_feedback(self, visit: Client) -> None:
        text = seen(visit, "/judges/helpfulness").text
        assert "excellent" in text
        assert "2–3 entries" in text
        assert "Steps" in seen(visit, "/judges/gptscore").text

    def test_a_pair_is_shown_in_both_orders(self, visit: Client) -> None:
        text = seen(visit, "/judges/preference").text
        assert "answer_a and answer_b are shown in both orders" in text
        assert "Request 2 of 2 · order B, A" in text

    @pytest.mark.parametrize(
        ("code", "words"),
        [
            (
                "ko",
                [
                    "평가 항목",
                    "0.0부터 10.0까지의 수",
                    "Completeness (Tính đầy đủ) 최대 6",
                    "베트남어",
                ],
            ),
            ("vi", ["Tiêu chí", "Completeness (Tính đầy đủ) tối đa 6", "tiếng Việt", "bắt buộc"]),
        ],
    )
    def test_other_languages(self, visit: Client, code: str, words: list[str]) -> None:
        text = seen(visit, "/judges/chatbot", code).text
        for each in words:
            assert each in text

    def test_the_example_is_an_item_of_its_latest_run(self, shop: Shop, visit: Client) -> None:
        found = seen(visit, "/judges/shop")
        assert "first item of run" in found.text
        assert f"/runs/{shop.both}" in found.all("a", "href")
        assert found.text.count("Question 0?") >= 2  # in the form and in the prompt

    def test_without_a_run_the_example_is_a_built_in_text(self, visit: Client) -> None:
        found = seen(visit, "/judges/helpfulness")
        assert "The texts are an example" in found.text
        assert "There is no run of this judge yet" in found.text

    def test_the_secret_of_the_store_is_not_shown(self, open_shop: Running, visit: Client) -> None:
        mark = make_mark(open_shop.service.store.secret, "shop")
        assert mark not in visit.get("/judges/shop").text

    def test_the_file_itself(self, visit: Client) -> None:
        assert "cap: {quality: 4.0}" in seen(visit, "/judges/shop").text

    def test_one_that_is_not_offered(self, visit: Client) -> None:
        answer = visit.get("/judges/..%2F..%2Fetc%2Fpasswd")
        assert answer.status == 404
        assert visit.get("/judges/nobody").status == 404


def test_a_prompt_for_what_was_typed(visit: Client) -> None:
    fields = {"in.question": "Where is it?\r\nHere?", "in.answer": HOSTILE}
    answer = visit.send("/judges/shop/prompt", **fields)
    assert answer.status == 200
    assert HOSTILE not in answer.text
    found = Seen(answer.text)
    assert HOSTILE in found.text
    assert found.text.count("<script>alert(1)</script>") == 2  # in the form and in the prompt
    assert found.text.count("Where is it?\nHere?") == 2
    assert "The texts are as you wrote them" in found.text


@pytest.fixture(scope="module")
def tried(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """A service whose model knows one item."""
    folder = tmp_path_factory.mktemp("tried")
    (folder / "shop.yaml").write_text(JUDGE)
    item = {"question": "What?", "answer": HOSTILE}
    store = str(folder / "store.db")
    replies = folder / "replies.jsonl"
    name = single_item(item, load_text(JUDGE, "shop.yaml").inputs).id
    reply = {
        "quality": {"explanation": "Rude.", "rude": True, "score": 9.0},
        "polite": {"explanation": "No.", "score": False},
        "kind": {"explanation": "It tells.", "score": "fact"},
    }
    replies.write_text(json.dumps({"item": name, "replies": [json.dumps(reply)]}) + "\n")
    options = ServeOptions(
        store=store, models=(f"replay:{replies}",), judges=(str(folder / "shop.yaml"),)
    )
    with running_service(options) as running:
        yield running


class TestTrying:
    def send(self, running: Running, **fields: str) -> Answer:
        client = Client(running.url)
        return client.send("/judges/shop/try", **{f"in.{k}": v for k, v in fields.items()})

    def test_the_verdict_with_the_place_where_it_was_read(self, tried: Running) -> None:
        answer = self.send(tried, question="What?", answer=HOSTILE)
        assert answer.status == 200
        assert HOSTILE not in answer.text
        found = Seen(answer.text)
        assert "by rule rude-caps" in found.text
        assert '<mark title="How good">9.0</mark>' in answer.text
        assert "The prompt that was sent" in found.text
        assert HOSTILE in found.text  # what was typed is still in the form

    def test_a_model_without_an_answer_says_why(self, tried: Running) -> None:
        answer = self.send(tried, question="Something else?", answer="Yes.")
        assert answer.status == 200
        text = Seen(answer.text).text
        assert text.count("This model replays recorded replies") == 1
        assert "no reply for item" not in text
        assert "Something else?" in text

    def test_an_item_of_a_run_is_found_by_its_id(self, shop: Shop, visit: Client) -> None:
        form = Seen(visit.get("/judges/shop").text)
        given = {
            str(each["name"]): str(each["value"])
            for tag, each in form.tags
            if tag == "input" and str(each.get("name")).startswith("of.")
        }
        assert given == {"of.run": shop.both, "of.item": "item-0"}
        texts = {"in.question": "Question 0?", "in.answer": "Answer 0."}
        found = Seen(visit.send("/judges/shop/try", **given, **texts).text)
        assert "Because of 0, says a." in found.text
        assert "first item of run" in found.text
        changed = visit.send("/judges/shop/try", **given, **texts | {"in.answer": "Another."})
        assert "This model replays recorded replies" in Seen(changed.text).text

    def test_what_is_missing_is_said_and_the_rest_kept(self, tried: Running) -> None:
        answer = self.send(tried, answer="Half an item.")
        assert answer.status == 422
        found = Seen(answer.text)
        assert "question" in found.text
        assert "There is no verdict." in found.text
        assert "Half an item." in found.text

    def test_a_model_that_is_not_offered(self, tried: Running) -> None:
        client = Client(tried.url)
        fields = {"in.question": "What?", "in.answer": "That.", "model": "openai/gpt-9"}
        answer = client.send("/judges/shop/try", **fields)
        assert answer.status == 404
        assert "not offered here" in Seen(answer.text).text

    def test_a_long_text(self, tried: Running) -> None:
        answer = self.send(tried, question="What?", answer=LONG)
        assert answer.status == 200
        assert len(answer.text) < 2 * len(LONG)  # whole in the form, cut in the prompt

    def test_a_reader_may_not_spend(self, tried: Running) -> None:
        read = bearer(token(tried.service.store, "read"))
        client = Client(tried.url)
        assert client.get("/judges/shop", read).status == 200
        fields = {"in.question": "What?", "in.answer": "That."}
        assert client.send("/judges/shop/try", read, **fields).status == 403
        assert client.send("/judges/shop/prompt", read, **fields).status == 200


class TestCheck:
    def check(self, visit: Client, text: str) -> Answer:
        return visit.send("/judges/edit", text=text)

    def test_problems_by_line(self, visit: Client) -> None:
        text = JUDGE.replace("max: 10.0", "max: -1.0").replace("title: Was", "titel: Was")
        found = Seen(self.check(visit, text.replace("\n", "\r\n")).text)
        assert "2 problems" in found.text or "3 problems" in found.text
        assert "Line 3:" in found.text
        assert "unknown key. Did you mean `title`?" in found.text
        assert "scale: {type: number, min: 0.0, max: -1.0}" in found.text
        assert "judge.yaml" not in found.text

    def test_a_good_one_shows_what_it_asks(self, visit: Client) -> None:
        answer = self.check(visit, ODD)
        assert answer.status == 200
        assert "<img src=x" not in answer.text
        found = Seen(answer.text)
        assert "odd can be used" in found.text
        assert "<img src=x onerror=alert(1)>" in found.text

    def test_inputs_that_the_built_in_texts_do_not_have(self, visit: Client) -> None:
        text = JUDGE.replace("question: {required: true}", "invoice: {required: true}")
        assert "{invoice}" in Seen(self.check(visit, text).text).text

    @pytest.mark.parametrize("text", ["", "- a\n- b", "judge: [", "a: &a [*a]", "\x00"])
    def test_what_is_no_judge_at_all(self, visit: Client, text: str) -> None:
        answer = self.check(visit, text)
        assert answer.status == 200
        assert "problem" in Seen(answer.text).text

    def test_one_to_begin_with(self, visit: Client) -> None:
        """Also for who comes back to the address of the form, as the links to languages do."""
        found = seen(visit, "/judges/edit").text
        assert "New judge" in found
        assert "my-judge can be used" in found


def test_a_judge_file_with_markup_in_its_title(tmp_path: Path) -> None:
    (tmp_path / "odd.yaml").write_text(ODD)
    options = ServeOptions(store=str(tmp_path / "store.db"), judges=(str(tmp_path / "odd.yaml"),))
    with running_service(options) as running:
        for path in ("/judges", "/judges/odd"):
            answer = Client(running.url).get(path)
            assert "<img src=x" not in answer.text
            assert "<img src=x onerror=alert(1)>" in Seen(answer.text).text


@pytest.mark.parametrize(
    ("language", "title"),
    [
        ("ko", "두 답변 중 어느 쪽이 질문한 사람에게 더 도움이 되는가?"),
        ("ko", "답변이 질문한 사람에게 얼마나 도움이 되는가?"),
        ("vi", "Câu trả lời giúp ích cho người hỏi đến đâu?"),
        ("en", "How good is the chatbot's answer, compared with the reference answer?"),
    ],
)
def test_titles_of_built_in_judges_are_in_the_readers_language(
    visit: Client, language: str, title: str
) -> None:
    assert title in Seen(visit.get("/judges", {"Accept-Language": language}).text).text


def test_probes_are_started_and_followed_on_a_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with chat_server() as model:
        model.answer = lambda _: says('{"evaluation": "It is of use to the person.", "rating": 3}')
        monkeypatch.setenv("OPENAI_API_KEY", "key")
        options = ServeOptions(
            store=str(tmp_path / "s.db"), models=("openai/judge",), base_url=model.base_url
        )
        with running_service(options) as running:
            visit, address = Client(running.url), "/judges/helpfulness/probe"
            assert "not been probed yet" in Seen(visit.get(address).text).text
            reader = bearer(token(running.service.store, "read"))
            assert visit.send(address, reader, model="openai/judge").status == 403
            assert visit.send(address, model="openai/other").status == 404
            begun = visit.send(address, model="openai/judge")
            assert begun.status == 303
            until = time.monotonic() + 60
            while "Refresh" in (page := visit.get(begun.headers["Location"])).headers:
                assert "openai/judge is asked about texts" in Seen(page.text).text
                assert time.monotonic() < until
            kept = running.service.store.probes.latest("helpfulness", "openai/judge")
            assert kept is not None
            assert "padding" in Seen(page.text).text
            assert "not been probed yet" not in Seen(page.text).text
            # A check from the page and one from the command line are of one series.
            begun = visit.send(address, model="openai/judge", kind="drift")
            until = time.monotonic() + 60
            while "Refresh" in (page := visit.get(begun.headers["Location"])).headers:
                assert "openai/judge is asked about the built-in texts" in Seen(page.text).text
                assert time.monotonic() < until
            assert "This is the first check" in Seen(page.text).text.partition("padding")[2]
            drift = adjudge.drift(
                "helpfulness", model="openai/judge", base_url=model.base_url, store=options.store
            )
            assert len(drift.checks) == 2
            history = Seen(visit.get(address).text)
            assert "Check 1: no change is shown" in history.text
            checks = {f"/runs/{check.run}" for check in drift.checks}
            assert checks <= set(history.all("a", "href"))
            # They stand beside the probes, and are no runs to label.
            assert checks <= set(Seen(visit.get("/?probes=1").text).all("a", "href"))
            assert not checks & set(Seen(visit.get("/").text).all("a", "href"))
            assert "/label/" not in visit.get("/label").text
            assert visit.send(address, model="openai/judge", kind="other").status == 422
