"""Every code that the source can make has words in every language, and no words are left over."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from string import Formatter

import pytest

import adjudge
from adjudge.analysis.calibration.agreement import OFF_SCALE
from adjudge.analysis.probing.probes import PROBES
from adjudge.analysis.scores.intervals import NO_MEAN
from adjudge.core.reason import Reason
from adjudge.judges.parser_messages import JINJA_MESSAGES, YAML_MESSAGES
from adjudge.stats.measure import UNORDERED
from adjudge.stats.ppi import too_few
from adjudge.strings import LANGUAGES, reasons, strings_for

_SOURCES = Path(adjudge.__file__).parent
# Fields that stand in a dict which is put in with `**`: their names are not in the call.
_ANY = "**"


def _makers() -> Iterator[tuple[str, str, frozenset[str]]]:
    """Place, code and fields of every `Reason("code", field=…)` of the source."""
    for path in sorted(_SOURCES.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            named = isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
            if not named or node.func.id != "Reason" or not node.args:
                continue
            (code,) = node.args
            place = f"{path.relative_to(_SOURCES)}:{node.lineno}"
            if isinstance(code, ast.Constant) and code.value:
                fields = frozenset(keyword.arg or _ANY for keyword in node.keywords)
                yield place, code.value, fields
    for code, message in {**YAML_MESSAGES, **JINJA_MESSAGES}.items():
        yield "judges/parser_messages.py", code, frozenset(re.compile(message).groupindex)


def _words(language: str) -> dict[str, list[str]]:
    """The texts of each code; those with a remedy, or with `one` and `other`, have two."""
    found: dict[str, list[str]] = {}
    for key, text in reasons(language).entries.items():
        code, _, part = key.rpartition(".")
        whole = part in {"one", "other", "says", "remedy"}
        found.setdefault(code if whole else key, []).append(text)
    return found


def _blanks(text: str) -> frozenset[tuple[str, str | None, str | None]]:
    """Each with how it is written, e.g. `{p:.2g}`."""
    parts = Formatter().parse(text)
    return frozenset((name, form, how) for _, name, form, how in parts if name is not None)


@pytest.mark.parametrize("language", ["en", "vi"])  # Korean has no capitals
def test_a_remedy_behind_a_full_stop_begins_a_sentence(language: str) -> None:
    words = reasons(language).entries
    ended = [key.removesuffix(".says") for key in words if words[key].endswith((".", "?"))]
    assert [code for code in ended if words.get(f"{code}.remedy", "").strip()[:1].islower()] == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_code_has_words_for_its_fields(language: str) -> None:
    words = _words(language)
    for place, code, fields in _makers():
        assert code in words, f"{place}: {code} has no words in {language}"
        for text in words[code]:
            named = {name for name, _, _ in _blanks(text) if not name.startswith("option[")}
            assert _ANY in fields or named <= fields, f"{place}: {code} has no {named - fields}"


def test_no_words_without_a_maker() -> None:
    """But for the word that stands in for a field without entries."""
    assert sorted(set(_words("en")) - {code for _, code, _ in _makers()}) == ["none"]


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_same_blanks_in_every_language(language: str) -> None:
    english, own = _words("en"), _words(language)
    assert english.keys() == own.keys()
    for code, texts in english.items():
        assert [_blanks(text) for text in texts] == [_blanks(text) for text in own[code]], code


def test_every_maker_names_its_code() -> None:
    """But for the few that pass on one that was made elsewhere."""
    assert len({code for _, code, _ in _makers()}) > 100


@pytest.mark.parametrize(
    ("why", "korean"),
    [
        (UNORDERED, "순서가 없는 이름 값입니다"),
        (NO_MEAN, "이름 값에는 평균이 없습니다"),
        (OFF_SCALE, "우도는 사람이 쓰는 척도 위의 값이 아닙니다"),
        (too_few(1), "독립된 라벨 1개로는 부족합니다. 최소 20개 문항에 라벨을 붙이십시오"),
        (too_few(3), "독립된 라벨 3개로는 부족합니다. 최소 20개 문항에 라벨을 붙이십시오"),
        (
            Reason("no_interval", why=Reason("few_rows", count=3)),
            "신뢰구간 없음: 독립된 문항 또는 그룹 3개로는 부족합니다",
        ),
        (
            Reason("unmeasured", why=Reason("people_constant")),
            "사람과의 일치도를 측정할 수 없습니다: 사람이 모든 문항에 같은 값을 주었습니다",
        ),
        (
            Reason("chance_kappa", value=-0.02, low=-0.3, high=0.31),
            "우연보다 낫다는 근거가 없습니다(카파 -0.02, -0.30~0.31)",
        ),
        (
            Reason("no_draw", why=Reason("one_row")),
            "라벨을 붙인 문항이 무작위로 뽑은 것이 아닙니다: 문항이 하나뿐입니다",
        ),
        (
            Reason("unlike", test="chi-squared", p=0.0101),
            "라벨이 있는 문항의 평가자 점수가 나머지와 다릅니다(chi-squared p=0.01)",
        ),
        (Reason.of("something old"), "something old"),
    ],
)
def test_in_korean(why: Reason, korean: str) -> None:
    assert strings_for("ko").reason(why) == korean


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_probe_has_its_words(language: str) -> None:
    say = strings_for(language)
    for probe in PROBES:
        assert say(f"probe.does.{probe.name}")
        assert say(f"probe.advice.{probe.name}")
