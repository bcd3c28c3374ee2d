"""Writing a judge in the browser: what is saved where, and what is refused."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import orjson
import pytest
from tests.service import Running, running_service
from tests.unit.service.security.client import JSON, Client, bearer, token

from adjudge.service.judge_catalog import JudgeCatalog, state_of
from adjudge.service.options import ServeOptions

from .seen import Seen
from .shop import JUDGE as SHOP
from .shop import Shop


@pytest.fixture(scope="module")
def desk(shop: Shop, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Running, Path]]:
    """A service with a folder for judges, that has one in it, and one file by itself."""
    folder = tmp_path_factory.mktemp("desk")
    (folder / "judges").mkdir()
    (folder / "judges" / "ours.yaml").write_text(SHOP.replace("judge: shop", "judge: ours"))
    alone = folder / "alone.yaml"
    alone.write_text(SHOP.replace("judge: shop", "judge: alone"))
    options = ServeOptions(
        store=shop.store, models=shop.models, judges=(str(folder / "judges"), str(alone))
    )
    with running_service(options) as running:
        yield running, folder / "judges"


def _fields(page: Seen) -> dict[str, str]:
    """What stands in the form, but for the text of the file."""
    return {
        str(attrs["name"]): str(attrs.get("value") or "")
        for tag, attrs in page.tags
        if tag == "input" and attrs.get("name") and attrs.get("type") != "checkbox"
    }


def test_a_judge_in_the_folder_is_saved_as_its_next_version(desk: tuple[Running, Path]) -> None:
    running, folder = desk
    visit = Client(running.url)
    fields = _fields(Seen(visit.get("/judges/ours/edit").text))
    text = (folder / "ours.yaml").read_text()
    fields |= {"text": text, "side": "form", "set.title": "Was <b>it</b> good?", "do": "save"}
    answer = visit.send("/judges/edit", **fields)
    assert (answer.status, answer.headers["Location"]) == (303, "/judges/ours?saved=1")
    saved = (folder / "ours.yaml").read_text()
    assert saved == text.replace("Was the customer served well?", '"Was <b>it</b> good?"').replace(
        "version: 3", "version: 4"
    )
    assert (folder / "versions" / "ours" / "4.yaml").read_text() == saved
    assert running.service.judges.get("ours").version == 4
    page = visit.get("/judges/ours?saved=1").text
    assert "Saved as version 4." in page
    assert "<b>it" not in page
    # A second tab has the file as it was before: it overwrites nothing unsaid.
    late = visit.send("/judges/edit", **(fields | {"set.title": "Mine"}))
    assert late.status == 409
    assert "Somebody has saved" in Seen(late.text).text
    assert (folder / "ours.yaml").read_text() == saved


@pytest.mark.parametrize("name", ["helpfulness", "alone"])
def test_what_is_not_in_the_folder_is_copied(desk: tuple[Running, Path], name: str) -> None:
    running, folder = desk
    visit = Client(running.url)
    seen = Seen(visit.get(f"/judges/{name}/edit").text)
    assert f"judge: {name}-2\n" in seen.text
    text = running.service.judges.text(name)
    refused = visit.send("/judges/edit", text=text, do="save")
    assert refused.status == 422
    assert "cannot be changed here" in Seen(refused.text).text
    assert not (folder / f"{name}.yaml").exists()


@pytest.mark.parametrize("name", ["../x", "a/b", "A", "..", "a\\0"])
def test_no_name_leads_out_of_the_folder(desk: tuple[Running, Path], name: str) -> None:
    running, folder = desk
    before = {path for path in folder.parent.rglob("*") if path.is_file()}
    text = SHOP.replace("judge: shop", f'judge: "{name}"')
    answer = Client(running.url).send("/judges/edit", text=text, do="save")
    assert answer.status == 200  # shown again, with its problem
    assert 'class="problems"' in answer.text
    assert {path for path in folder.parent.rglob("*") if path.is_file()} == before


def test_a_prompt_that_does_not_tell_its_scale_is_asked_for_it(desk: tuple[Running, Path]) -> None:
    visit = Client(desk[0].url)
    fields = {"name": "mine", "prompt": "Rate it.\n\nAnswer: {answer}\n"}
    assert "set.scale" in Seen(visit.send("/judges/import", **fields).text).all("input", "name")
    made = Seen(visit.send("/judges/import", **fields, **{"set.scale": "1-5"}).text)
    assert "judge: mine\n" in made.text
    assert "What was read from the prompt" in made.text
    wrong = visit.send("/judges/import", **fields, **{"set.scale": "some"})
    assert wrong.status == 422
    assert "no scale" in Seen(wrong.text).text


def test_a_prompt_is_refused_in_the_readers_language(desk: tuple[Running, Path]) -> None:
    visit = Client(desk[0].url, headers={"Accept-Language": "ko"})
    fields = {"name": "mine", "prompt": "Rate it from 1 to 5.\n\nAnswer: {answer}\n"}
    wrong = visit.send("/judges/import", **fields, **{"set.explain": "maybe"})
    assert "“설명: maybe”: yes 또는 no로 쓰십시오" in Seen(wrong.text).text
    asked = visit.send("/judges/import", name="mine", prompt="평가하십시오.\n\n답변: {answer}\n")
    assert "--set" not in Seen(asked.text).text
    assert "“척도”로 지정하십시오: 1-5, 0.0-10.0, yes/no" in Seen(asked.text).text


def test_two_runs_of_one_judge_show_how_its_prompts_differ(
    desk: tuple[Running, Path], shop: Shop
) -> None:
    page = Client(desk[0].url).get(f"/judges/difference?a={shop.both}&b={shop.half}&judge=shop")
    assert "The prompts for this item are the same." in Seen(page.text).text


def test_what_another_service_saves_is_found_without_a_restart(
    desk: tuple[Running, Path], shop: Shop
) -> None:
    running, folder = desk
    visit = Client(running.url)
    other = JudgeCatalog([str(folder)])
    new = SHOP.replace("judge: shop", "judge: theirs")
    other.save(new, "")
    assert "theirs" in Seen(visit.get("/judges").text).text
    question = {"judge": "theirs", "item": {"id": "item-0", "question": "Q?", "answer": "A."}}

    def asked() -> str:
        answer = visit("POST", "/api/v1/judge", orjson.dumps(question), JSON)
        return str(answer.json["fingerprint"])

    first = asked()
    saved = other.save(new.replace("How good is", "How very good is"), state_of(new))
    assert (asked() == first, asked()) == (False, saved.fingerprint)
    # A file that is no judge takes nothing away.
    (folder / "broken.yaml").write_text("judge: [")
    assert running.service.judges.get("theirs").version == 4
    (folder / "broken.yaml").unlink()
    (folder / "theirs.yaml").unlink()
    assert "theirs" not in running.service.judges.judges


def test_who_may_only_read_writes_no_judge(desk: tuple[Running, Path]) -> None:
    running, folder = desk
    before = {path: path.read_text() for path in folder.rglob("*.yaml")}
    reader = bearer(token(running.service.store, "read"))
    visit = Client(running.url)
    for do in ("save", "try", "add:criteria", "rerun"):
        fields = {"text": SHOP.replace("judge: shop", "judge: new"), "do": do}
        assert visit.send("/judges/edit", reader, **fields).status == 403
    assert visit.send("/judges/import", reader, prompt="Rate {answer}.").status == 403
    assert visit.get("/judges/ours/edit", reader).status == 403
    assert "/judges/ours/edit" not in visit.get("/judges/ours", reader).text
    assert {path: path.read_text() for path in folder.rglob("*.yaml")} == before
