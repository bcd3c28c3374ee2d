"""From where judge and people differ to the labelled items judged again by the edited judge."""

from __future__ import annotations

import json
import shutil
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote, urlencode

import pytest
from tests.servers import ChatServer, chat_server, says
from tests.service import Running, running_service
from tests.unit.service.security.client import Answer, Client

from adjudge.core.label import Label
from adjudge.service.caches import BackgroundResults
from adjudge.service.options import ServeOptions

from .seen import Seen
from .shop import ITEMS, JUDGE, ODD_ID, Shop, quality


@dataclass(frozen=True)
class Desk:
    running: Running
    client: Client
    judge: Path
    run: str
    model: str

    def send(self, text: str, **fields: str) -> Answer:
        """The editor as the list of differences opened it, with the file written anew."""
        form = Seen(
            self.client.get(f"/judges/shop/edit?run={self.run}&by={quote(self.model)}").text
        )
        known = {
            str(a["name"]): str(a.get("value") or "")
            for t, a in form.tags
            if t == "input" and a.get("name") and a.get("type") == "hidden"
        }
        return self.client.send("/judges/edit", **(known | {"text": text, "do": "rerun"} | fields))

    def ended(self, address: str) -> Seen:
        for _ in range(200):
            answer = self.client.get(address)
            if "Refresh" not in answer.headers:
                return Seen(answer.text)
            time.sleep(0.05)
        raise AssertionError(answer.text)


def item(number: int) -> str:
    return ODD_ID if number == 1 else f"item-{number}"


@pytest.fixture(scope="module")
def desk(shop: Shop, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    """People say what the model says, but for its rule: they do not mind rudeness."""
    folder = tmp_path_factory.mktemp("improve")
    store = shutil.copy(shop.store, folder)
    (folder / "judges").mkdir()
    judge = folder / "judges" / "shop.yaml"
    judge.write_text(JUDGE)
    options = ServeOptions(store=store, models=shop.models, judges=(str(folder / "judges"),))
    with running_service(options) as running:
        said = [
            Label(item(n), "Kim", "quality", 9.0 if n == 3 else quality(n, "a"))
            for n in range(ITEMS - 2)
        ]
        kept = running.service.store
        record = kept.runs.find(shop.both)
        kept.labels.put(record.manifest.data_hash, "shop", said)
        yield Desk(running, Client(running.url), judge, shop.both, shop.models[0])


def test_labelled_items_are_judged_again_in_one_step(desk: Desk) -> None:
    model = quote(desk.model)
    listed = Seen(desk.client.get(f"/trust/{desk.run}/disagreements?model={model}").text)
    (edit,) = (link for link in listed.all("a", "href") if "/edit?" in link)
    editor = Seen(desk.client.get(edit).text)
    assert "10 items have labels." in editor.text
    answer = desk.send(JUDGE.replace("quality: 4.0", "quality: 9.0"))
    assert answer.status == 303, Seen(answer.text).text
    assert "version: 4\n" in desk.judge.read_text()
    seen = desk.ended(answer.headers["Location"])
    made = answer.headers["Location"].split("/rerun/")[1].partition("?")[0]
    record = desk.running.service.store.runs.find(made)
    # Only the labelled items, by the same model; their labels are there for the next round.
    assert (record.rows, record.manifest.models) == (10, (desk.model,))
    counts = desk.running.service.store.labels.counts(record.manifest.data_hash, "shop")
    assert counts.items == 10
    # One item has another value, nearer to people; one has no score in either run.
    assert "1 nearer, 8 as before, 0 farther" in seen.text
    assert "no difference is shown" in seen.text
    assert "that could be looked at while editing" in seen.text
    assert "1 item has no score" in seen.text
    (differences,) = (link for link in seen.all("a", "href") if f"{made}/disagreements" in link)
    assert desk.client.get(differences).status == 200
    # The prompts are the same: the rule is no part of them, or they are shown side by side.
    (between,) = (link for link in seen.all("a", "href") if "difference?a=" in link)
    assert desk.client.get(between).status == 200


def test_labels_that_are_set_aside_are_not_listed_and_alone_count(desk: Desk) -> None:
    address = f"/trust/{desk.run}/disagreements?model={quote(desk.model)}&aside=1"
    listed = Seen(desk.client.get(address).text)
    store, record = desk.running.service.store, desk.running.service.store.runs.find(desk.run)
    labelled = {label.item for label in store.labels.of(record.manifest.data_hash, "shop")}
    aside = int(listed.text.split(" labelled items are set aside")[0].split()[-1])
    assert 0 < aside < len(labelled)
    text = desk.judge.read_text().replace("How good is", "How very good is")
    answer = desk.send(text, aside="1")
    seen = desk.ended(answer.headers["Location"])
    assert f"Measured on {aside} labelled items that were set aside while editing." in seen.text
    assert "that could be looked at" not in seen.text


def test_what_keeps_a_rerun_from_starting_is_said_in_the_editor(desk: Desk) -> None:
    text = desk.judge.read_text()
    needs = text.replace("  answer: {", "  source: {required: true}\n  answer: {")
    refused = desk.send(needs)
    assert refused.status == 422
    assert "source" in Seen(refused.text).text
    # It is saved; the editor knows that, and going on overwrites nothing.
    form = Seen(refused.text)
    known = {str(a["name"]): str(a.get("value") or "") for t, a in form.tags if t == "input"}
    saved = desk.judge.read_text()
    again = desk.client.send("/judges/edit", **(known | {"text": saved, "do": "rerun"}))
    assert again.status == 422
    assert desk.judge.read_text() == saved
    no_model = desk.client.get(f"/judges/shop/edit?run={desk.run}&by=other/model").text
    assert 'value="rerun"' not in no_model


def test_a_criterion_on_another_scale_is_left_out(desk: Desk) -> None:
    text = JUDGE.replace("max: 10.0", "max: 20.0").replace("version: 3", "version: 30")
    answer = desk.send(text)
    assert answer.status == 303
    assert "the edit changed its scale" in desk.ended(answer.headers["Location"]).text


@pytest.fixture(scope="module")
def asking(
    shop: Shop, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[Desk, ChatServer]]:
    """A service with a model that answers about rubrics."""
    store = shutil.copy(shop.store, tmp_path_factory.mktemp("asking"))
    with chat_server() as server:
        options = ServeOptions(store=store, models=("openai/m",), base_url=server.base_url)
        with running_service(options) as running:
            said = [Label(item(n), "Kim", "quality", 0.0) for n in range(ITEMS - 2)]
            record = running.service.store.runs.find(shop.both)
            running.service.store.labels.put(record.manifest.data_hash, "shop", said)
            yield Desk(running, Client(running.url), Path(store), shop.both, shop.models[0]), server


def test_a_model_is_asked_which_clause_is_unclear(asking: tuple[Desk, ChatServer]) -> None:
    desk, server = asking
    named = {"unclear": [{"items": [1], "clause": 1, "question": "Good <b>for whom</b>?"}]}
    server.answer = lambda _: says(json.dumps(named))
    address = f"/trust/{desk.run}/disagreements"
    fields = {"judge": "shop", "model": desk.model, "writer": "openai/m"}
    looked = Seen(desk.client.get(f"{address}?{urlencode(fields)}").text)
    assert "Good" not in looked.text.replace("How good", "")
    assert server.asked == []  # who only looks asks nobody
    answer = desk.client.send(address, **fields)
    assert answer.status == 303
    seen = desk.ended(answer.headers["Location"])
    assert "Good <b>for whom</b>?" in seen.text
    assert "How good is the answer?" in seen.text
    assert len(server.asked) == 1
    # Whoever comes after a restart of the service finds the kept reply.
    desk.running.service.questions = BackgroundResults(1)
    again = Seen(desk.client.get(answer.headers["Location"]).text)
    assert "Good <b>for whom</b>?" in again.text
    desk.client.send(address, **fields)
    desk.ended(answer.headers["Location"])
    assert len(server.asked) == 1


def test_a_model_that_is_not_offered_is_not_asked(asking: tuple[Desk, ChatServer]) -> None:
    desk, _ = asking
    sent = desk.client.send(f"/trust/{desk.run}/disagreements", writer="openai/other")
    assert sent.status in {404, 422}
