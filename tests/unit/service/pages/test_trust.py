"""The trust page over a run whose scores and labels a test decides."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, replace
from itertools import count
from pathlib import Path
from urllib.parse import quote

import pytest
from tests.service import Running, running_service

from adjudge.analysis.probing import Probed, ProbeFinding, ProbeLimits
from adjudge.analysis.probing.findings import ProbeSession
from adjudge.core.label import Label
from adjudge.core.reason import Reason
from adjudge.core.run import Manifest
from adjudge.reports.findings.trust import trust_lines
from adjudge.reports.words import Words
from adjudge.service import caches
from adjudge.service.caches import CalibrationQuery
from adjudge.service.options import ServeOptions
from adjudge.stats.stat import Stat
from adjudge.stores import RunRecord, Store
from adjudge.strings import strings_for
from adjudge.trust import calibrate

from ...analysis.calibration.test_calibrate import JUDGE, PEOPLE
from ...analysis.graded import SCALES, Graded, labels
from ..security.client import Answer, Client, bearer, token
from .multipart import send_file
from .seen import Seen

HOSTILE = "<script>alert(1)</script>"
POLITE = [n % 2 == 0 for n in range(120)]
WINNERS = ["a", "b", "tie"] * 40
NUMBERS = count()


class Pages:
    """One run in a store that others are in too; its judge has a name of its own."""

    def __init__(self, running: Running, run: str, judge: str) -> None:
        self.running, self.run, self.judge = running, run, judge
        self.client = Client(running.url)

    @property
    def path(self) -> str:
        return f"/trust/{self.run}"

    @property
    def store(self) -> Store:
        return self.running.service.store

    @property
    def labels(self) -> list[Label]:
        return self.store.labels.of("0f", self.judge)

    def label(self, given: Sequence[Label]) -> None:
        self.store.labels.put("0f", self.judge, given)

    def seen(self, query: str = "", language: str = "en") -> Seen:
        answer = self.client.get(f"{self.path}{query}", {"Accept-Language": language})
        assert answer.status == 200, answer.text
        return Seen(answer.text)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("trust")


@pytest.fixture(scope="module")
def running(folder: Path) -> Iterator[Running]:
    with running_service(ServeOptions(store=str(folder / "store.db"))) as running:
        yield running


def made(running: Running, folder: Path, name: str) -> Pages:
    """A run of 120 items without labels."""
    graded = Graded(folder, name, **SCALES)
    topics = [n // 4 for n in range(120)]
    graded.add(rating=[*[None] * 4, *JUDGE[4:]], polite=POLITE, winner=WINNERS, topics=topics)
    graded.close()
    return Pages(running, graded.record.id, name)


@pytest.fixture
def bare(running: Running, folder: Path) -> Pages:
    """Without any label."""
    return made(running, folder, f"bare{next(NUMBERS)}")


@pytest.fixture(scope="module")
def pages(running: Running, folder: Path) -> Pages:
    """With labels by three people, one of whom has an odd name."""
    found = made(running, folder, "graded")
    for rater in ("ann", "bob", HOSTILE):
        found.label(labels(PEOPLE[:60], rater=rater))
        polite = [float(each) for each in POLITE[:60]]
        found.label(labels(polite, rater=rater, criterion="polite"))
        found.label(labels(WINNERS[:60], rater=rater, criterion="winner"))
    return found


def test_the_runs_to_choose_from(pages: Pages) -> None:
    seen = Seen(pages.client.get("/trust").text)
    assert f"/trust/{pages.run}?judge=graded" in seen.all("a", "href")
    assert "540" in seen.text


def test_many_runs_are_shown_page_by_page(tmp_path: Path) -> None:
    with running_service(ServeOptions(store=str(tmp_path / "s.db"))) as running:
        made = set()
        for number in range(110):
            manifest = Manifest(
                data="d", data_hash=str(number), judges={"j": "f" * 16}, models=("m",)
            )
            record = RunRecord(id=manifest.id, manifest=manifest, sources={}, rows=1)
            running.service.store.runs.start(record)
            made.add(f"/trust/{record.id}?judge=j")
        client = Client(running.url)
        pages = [Seen(client.get(f"/trust?page={number}").text) for number in range(1, 6)]
        beyond = Seen(client.get(f"/trust?page={'9' * 5000}").text)
    assert {link for page in pages for link in page.all("a", "href") if link in made} == made
    assert "/trust?page=2" in pages[0].all("a", "href")
    assert "page 5 of 5" in beyond.text


def test_the_judge_can_be_read_although_it_is_not_offered(pages: Pages) -> None:
    link = f"/runs/{pages.run}/judge?judge=graded"
    assert link in pages.seen().all("a", "href")
    assert pages.client.get(link).status == 200


def test_the_figures_are_those_of_calibrate(pages: Pages) -> None:
    text = pages.seen().text
    found = calibrate(pages.running.service.run(pages.run))
    rating = found.criteria["rating"]
    for stat in (rating.spearman, rating.kappa, rating.alpha, rating.means.corrected.stat):
        assert stat.value is not None
        assert f"{stat.value:.2f}" in text
    for line in trust_lines(pages.run, found.graders[0], Words(strings_for("en"))):
        assert str(line) in text
    assert "4 of 120" in text


@pytest.mark.parametrize(
    ("language", "words"),
    [
        ("ko", ["사용 가능", "사람과의 일치도", "다음 할 일"]),
        ("vi", ["Dùng được", "Mức độ đồng thuận với con người", "Việc tiếp theo"]),
    ],
)
def test_other_languages(pages: Pages, language: str, words: list[str]) -> None:
    text = pages.seen(language=language).text
    for each in words:
        assert each in text
    assert "the judge" not in text
    assert "people" not in text


@pytest.mark.parametrize(
    ("language", "heading"), [("en", "Items, worst first"), ("ko", "차이가 큰 문항부터")]
)
def test_where_they_differ(pages: Pages, language: str, heading: str) -> None:
    assert f"{pages.path}/disagreements?judge=graded&model=m" in pages.seen().all("a", "href")
    seen = pages.seen("/disagreements", language)
    assert heading in seen.text
    assert HOSTILE in seen.text
    items = [link for link in seen.all("a", "href") if f"/runs/{pages.run}/item?id=i" in link]
    assert items
    assert pages.client.get(items[0]).status == 200


def test_differences_without_labels(bare: Pages) -> None:
    assert "no labels" in bare.seen("/disagreements").text


def test_every_plot_is_there_and_has_words(pages: Pages) -> None:
    seen = pages.seen()
    plots = [src for src in seen.all("img", "src") if "/plots/" in src]
    kinds = [src.split("/plots/")[1].partition(".")[0] for src in plots]
    assert kinds == [
        *("agreement", "corrected", "confusion", "scatter", "confusion", "scatter", "confusion")
    ]
    assert all(seen.all("img", "alt")[1:])
    drawn = [pages.client.get(src) for src in plots]
    assert {each.headers["content-type"] for each in drawn} == {"image/svg+xml"}
    assert len({each.text for each in drawn}) == len(plots)


def test_a_plot_of_what_is_not_there(pages: Pages) -> None:
    names = {
        f"{pages.path}/plots/confusion.svg?judge=graded&model=m&criterion=x": 404,
        f"{pages.path}/plots/scatter.svg?judge=graded&model=m&criterion=winner": 422,
        f"{pages.path}/plots/agreement.svg?judge=graded&model=x": 422,
        f"{pages.path}/plots/probes.svg?judge=graded&model=m": 404,
    }
    assert {name: pages.client.get(name).status for name in names} == names


def test_groups(pages: Pages) -> None:
    alone, grouped = pages.seen(), pages.seen("?group=topic")
    assert "Items with the same topic belong together" in grouped.text
    assert "mean of groups" in grouped.text
    assert "mean of groups" not in alone.text
    assert "topic" in alone.all("option", "value") or "topic" in alone.text


def test_people_among_each_other(pages: Pages) -> None:
    text = pages.seen().text
    assert "3 raters share 60 items" in text
    assert HOSTILE in text


def test_odd_names_stay_texts(pages: Pages) -> None:
    answer = pages.client.get(pages.path)
    assert HOSTILE not in answer.text
    assert "&lt;script&gt;" in answer.text


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("?judge=x", "has no judge"),
        ("?model=x", "has no model"),
    ],
)
def test_what_the_run_has_not(pages: Pages, query: str, said: str) -> None:
    answer = pages.client.get(f"{pages.path}{query}")
    assert answer.status == 422
    assert said in answer.text


def test_a_column_that_is_not_there_is_said_on_the_page(pages: Pages) -> None:
    assert "no item has this column" in pages.seen("?group=nowhere").text


def test_no_labels(bare: Pages) -> None:
    seen = bare.seen()
    assert "No labels by people yet" in seen.text
    assert "below 20 labels" in seen.text
    assert any(link.startswith(f"/label/{bare.run}") for link in seen.all("a", "href"))
    assert [src for src in seen.all("img", "src") if "/plots/" in src] == []


def test_one_labelled_item_leaves_no_plot_without_an_image(bare: Pages) -> None:
    """There is no agreement to draw yet."""
    bare.label(labels(PEOPLE[:6])[-1:])
    plots = [src for src in bare.seen().all("img", "src") if "/plots/" in src]
    assert plots
    assert not any("/agreement.svg" in src for src in plots)
    assert {bare.client.get(src).status for src in plots} == {200}


def test_labels_of_other_items(bare: Pages) -> None:
    bare.label([each for each in labels([1.0] * 130) if int(each.item[1:]) >= 120])
    assert "None of 10 labels is about an item of this run" in bare.seen().text


def test_looking_keeps_nothing_and_the_button_does(bare: Pages) -> None:
    bare.label(labels(PEOPLE[:60]))
    bare.seen()
    assert bare.store.calibrations.latest(bare.judge, "m") is None
    answer = bare.client.send(f"{bare.path}/keep", judge=bare.judge, model="m")
    assert answer.status == 303
    kept = bare.store.calibrations.latest(bare.judge, "m")
    assert kept is not None
    assert kept.content["run"] == bare.run
    assert "Kept." in Seen(bare.client.get(answer.headers["location"]).text).text


def test_a_kept_calibration_puts_the_corrected_mean_first(bare: Pages) -> None:
    bare.label(labels(PEOPLE[:60]))
    assert "corrected" not in Seen(bare.client.get(f"/runs/{bare.run}").text).text
    bare.client.send(f"{bare.path}/keep", judge=bare.judge, model="m")
    figures = calibrate(bare.running.service.run(bare.run), judge=bare.judge).criteria["rating"]
    corrected, raw = figures.means.corrected.stat, f"(corrected; raw {figures.means.raw.value:.2f})"
    interval = f"[{corrected.low:.2f}, {corrected.high:.2f}]"
    for address, shown in ((f"/runs/{bare.run}", f" {interval} {raw}"), ("/", f" {raw}")):
        text = " ".join(Seen(bare.client.get(address).text).text.split())
        assert f"{corrected.value:.2f} / 5{shown}" in text


def test_a_new_label_shows_at_once(bare: Pages) -> None:
    bare.label(labels(PEOPLE[:30]))
    service = bare.running.service
    calibrated, record = service.calibrations, service.run(bare.run).record
    asked = CalibrationQuery(bare.judge, "m")
    before, found = calibrated.of(record, asked)
    assert calibrated.of(record, asked)[1] is found
    first = found.result()
    # The same number of labels with the same times, one of them another.
    old = bare.labels[10]
    bare.label([replace(old, value=1.0 if old.value == 5 else 5.0)])
    after, other = calibrated.of(record, asked)
    assert before != after
    bias = other.result().criteria["rating"].bias.value
    assert bias != first.criteria["rating"].bias.value


def test_raters_can_be_left_out_and_removed(bare: Pages) -> None:
    two = [*labels(PEOPLE[:40], rater="An"), *labels(JUDGE[:40], rater="Minh")]
    bare.store.labels.put("0f", bare.judge, [replace(label, criterion="rating") for label in two])
    seen = Seen(bare.client.get(bare.path).text)
    assert {"An", "Minh"} <= {*seen.all("input", "value")}
    assert "2 raters share 40 items" in " ".join(seen.text.split())
    without = Seen(bare.client.get(f"{bare.path}?without=Minh").text)
    assert "2 raters share" not in " ".join(without.text.split())
    assert len(bare.labels) == 80
    assert "without=Minh" in " ".join(without.all("img", "src"))

    answer = bare.client.send(f"{bare.path}/raters", rater="Minh", judge=bare.judge)
    assert answer.status == 303
    assert "removed=40" in answer.headers["location"]
    assert {label.rater for label in bare.labels} == {"An"}


def test_figures_that_take_long(bare: Pages, monkeypatch: pytest.MonkeyPatch) -> None:
    """The page says so at once, and the browser asks again; what was refused meanwhile stays."""
    bare.label(labels(PEOPLE[:30]))
    monkeypatch.setattr(caches, "PATIENCE", 0.0)
    with bare.running.service.calibrations.kept.turn:  # as if another one were being worked out
        first = bare.client.get(bare.path)
        refused = bare.client.send(f"{bare.path}/labels", judge=bare.judge, model="m")
    assert first.headers["refresh"] == "1"
    assert "are being compared with people's labels" in Seen(first.text).text
    assert "refresh" not in refused.headers
    monkeypatch.setattr(caches, "PATIENCE", 60.0)
    assert "being held" not in Seen(bare.client.get(bare.path).text).text


class TestUpload:
    def send(self, pages: Pages, body: str, name: str = "people.csv", rater: str = "") -> Answer:
        fields = {"judge": pages.judge, "model": "m", "rater": rater}
        return send_file(pages.client, f"{pages.path}/labels", fields, name, body.encode())

    def test_a_file_in_another_encoding_is_read_after_saying_so(self, bare: Pages) -> None:
        rows = "".join(f"i{n},배송 담당자 김민수,{PEOPLE[n]:g}\n" for n in range(40))
        fields = {"judge": bare.judge, "model": "m"}
        body = f"item,rater,rating\n{rows}".encode("cp949")
        answer = send_file(bare.client, f"{bare.path}/labels", fields, "people.csv", body)
        said = Seen(bare.client.get(answer.headers["location"].partition("#")[0]).text).text
        assert "The file was read as CP949 (Korean, EUC-KR)." in said
        assert {each.rater for each in bare.labels} == {"배송 담당자 김민수"}
        forged = Seen(bare.client.get(f"{bare.path}?labels=1&encoding=Pay+now").text).text
        assert "was read as" not in forged

    def test_labels_of_a_file(self, bare: Pages) -> None:
        rows = "".join(f"i{n},{PEOPLE[n]:g}\n" for n in range(40))
        answer = self.send(bare, f"item,rating\n{rows}elsewhere,3\n", rater="Ngọc")
        assert answer.status == 303
        said = Seen(bare.client.get(answer.headers["location"].partition("#")[0]).text).text
        assert "Labels added: 40; of these, 0 replaced earlier ones" in said
        assert "about items that this run does not have: 1." in said
        assert {(each.rater, each.criterion) for each in bare.labels} == {("Ngọc", "rating")}
        assert len(bare.labels) == 40

    @pytest.mark.parametrize(
        ("body", "name", "said"),
        [
            ("item,rating\ni0,9\n", "people.csv", "people.csv"),
            ("item,rating\nx,3\n", "people.csv", "no label is about an item of run"),
            ("item,rating\ni0,3\n", "people.exe", "'.exe' is unknown"),
            ("item,rating\ni0,3\n", "", "Choose a file"),
            ("item,rating\ni0,9\n", "../../<b>.csv", "_b_.csv"),
        ],
    )
    def test_what_is_wrong_is_said(self, bare: Pages, body: str, name: str, said: str) -> None:
        answer = self.send(bare, body, name)
        assert answer.status == 422
        seen = Seen(answer.text)
        text = seen.text
        assert said in text.partition("No labels by people yet")[0]  # above all else
        assert said in text.partition("Labels from a file")[2]
        assert "#labels" in seen.all("a", "href")
        assert [tag for tag, given in seen.tags if "autofocus" in given] == ["div"]
        assert "/adjudge-labels" not in text  # where it lay for a moment is nobody's business
        assert bare.labels == []


@pytest.mark.parametrize("form", ["labels", "keep"])
def test_the_address_of_a_form_leads_to_its_page(pages: Pages, form: str) -> None:
    answer = pages.client.get(f"{pages.path}/{form}")
    assert (answer.status, answer.headers["location"]) == (303, pages.path)


def test_commands_come_with_the_pages_that_do_the_same(bare: Pages) -> None:
    bare.label(labels(PEOPLE[:10]))
    links = bare.seen().all("a", "href")
    judge = f"judge={bare.judge}"
    assert f"/runs/{bare.run}?outcome=unscored&{judge}&model=m#items" in links
    assert links.count(f"/label/{bare.run}?{judge}&pick=random") == 1
    assert bare.client.get(f"/runs/{bare.run}?outcome=unscored&{judge}&model=m").status == 200


@pytest.mark.parametrize("agrees", [True, False])
def test_a_yes_that_is_no_proof_of_standing_in_for_a_person(bare: Pages, *, agrees: bool) -> None:
    """People of one mind: nobody but them does as well, however near the judge may come."""
    people = PEOPLE[:60] if agrees else [1.0 + n % 3 for n in range(60)]
    for rater in ("ann", "bob"):
        bare.label(labels(people, rater=rater))
    seen = bare.seen().text
    assert "not shown to be able to replace" in seen
    assert ("That does not speak against using it" in seen) == agrees


def probed(**changed: object) -> Probed:
    finding = ProbeFinding(
        probe="padding",
        model="m",
        criterion="rating",
        measure="gain",
        n=12,
        unscored=1,
        effect=Stat(0.3, 0.2, 0.4),
        limit=0.05,
        rating="bad",
        note=Reason("at_top", count=7, total=12),
    )
    given: dict[str, object] = {
        "judge": "graded",
        "fingerprint": "f" * 16,
        "models": ("m",),
        "source": Reason("built_in", language="en"),
        "language": "en",
        "items": 12,
        "limits": ProbeLimits(),
        "confidence": 0.95,
        "findings": (finding,),
        "not_run": {"order": Reason("no_pair")},
        "runs": (
            ProbeSession(run="abc", about="twins", verdicts=24, unscored=1, tokens=9, usd=0.0),
        ),
    }
    return Probed(**given | changed)  # type: ignore[arg-type]


class TestProbes:
    def keep(self, pages: Pages, found: Probed) -> None:
        content = json.loads(json.dumps(asdict(found)))
        pages.store.probes.keep(pages.judge, found.models, found.fingerprint, content)

    def test_none_yet(self, bare: Pages) -> None:
        text = bare.seen().text
        assert "have not been probed yet" in text
        assert f"adjudge probe --judge {bare.judge} -m m --store {bare.store.where}" in text

    @pytest.mark.parametrize(
        ("language", "words"),
        [
            ("en", ["padding, bad: empty phrases are added", "7 of 12 texts", "not a pair"]),
            ("ko", ["의미 없는 문구를 덧붙입니다", "12개 중 7개는 이미", "글 하나씩"]),
            ("vi", ["thêm những câu sáo rỗng", "7 trên 12 văn bản", "từng văn bản một"]),
        ],
    )
    def test_the_latest(self, bare: Pages, language: str, words: list[str]) -> None:
        self.keep(bare, probed(source=Reason.of("earlier.csv")))
        self.keep(bare, probed())
        seen = bare.seen(language=language)
        effect = "+0,30 [+0,20; +0,40]" if language == "vi" else "+0.30 [+0.20, +0.40]"
        for each in [*words, effect]:
            assert each in seen.text
        assert "earlier.csv" not in seen.text
        (plot,) = [src for src in seen.all("img", "src") if "/plots/" in src]
        assert bare.client.get(plot).headers["content-type"] == "image/svg+xml"

    def test_of_another_version_of_the_judge(self, bare: Pages) -> None:
        self.keep(bare, probed(fingerprint="0" * 16))
        assert "the judge has changed since it was probed" in bare.seen().text

    def test_of_another_model(self, bare: Pages) -> None:
        self.keep(bare, probed(models=("other",)))
        assert "have not been probed yet" in bare.seen().text


def test_a_reader_may_look_and_not_change(pages: Pages) -> None:
    read = bearer(token(pages.store, "read"))
    assert pages.client.get(pages.path, read).status == 200
    assert pages.client.send(f"{pages.path}/keep", read, judge="graded").status == 403
    assert "--store" not in pages.client.get(pages.path, read).text


def test_a_reader_is_led_to_nothing_that_they_may_not_do(pages: Pages, bare: Pages) -> None:
    bare.label(labels(PEOPLE[:10]))
    for each in (pages, bare):
        read = bearer(token(each.store, "read"))
        seen = Seen(each.client.get(each.path, read).text)
        links = seen.all("a", "href")
        assert not [link for link in links if link.startswith("/label") or link == "#keep"]
        assert seen.all("form", "action") == ["/logout", each.path, f"{each.path}#raters"]
        assert any(link.startswith("/label") for link in each.seen().all("a", "href"))
        assert f"{each.path}/labels" in each.seen().all("form", "action")
    assert f"{pages.path}/keep" in pages.seen().all("form", "action")


def test_an_id_in_the_address_is_a_text(pages: Pages) -> None:
    assert pages.client.get(f"/trust/{quote(HOSTILE, safe='')}").status == 404
