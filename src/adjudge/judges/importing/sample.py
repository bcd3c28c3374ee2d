"""The fields of a JSON reply: from a sample in the prompt, from a JSON Schema, or named in words.

Samples are seldom valid JSON (`"tone": [float, how it sounds],`), so only keys, quotes and braces
are read, and the kind of a value from the words in its place.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Literal

from .choice import SURE
from .choices import find_choices
from .numerals import COUNTED
from .ranges import find_ranges
from .vocabulary import words
from .words import CONFIDENCES, EXPLANATIONS, IDENTIFIERS, RATINGS, SCORES, VERDICTS, spaced

Kind = Literal["number", "integer", "truth", "text", "list", "group"]

# The words that stand in a value's place, the surest first.
_TRUTH = re.compile(
    r"(?:bool|boolean|true|false|boolé\w+|booleano?|booléen|wahrheitswert)\b|布尔|真偽|불리언|참|거짓",
    re.IGNORECASE,
)
_TEXT = re.compile(
    r"(?:str|string|text|chuỗi|cadena|texto|texte|chaîne|zeichenkette)\b|문자열|字符串|文字列",
    re.IGNORECASE,
)
_FRACTION = re.compile(rf"{words('decimal')}|-?[\dxn]{{1,3}}\.[\dxn]{{1,3}}(?!\w)", re.IGNORECASE)
_INTEGER = re.compile(
    rf"(?:one of|một trong các mức)\s\d|{words('whole', 'number', 'rating')}|integer|int\b"
    rf"|-?\d+(?=$|{words('point')}|\s?(?:[-–~〜～/|,]|{words('to', 'or')})|\s?[)\]>(（])",
    re.IGNORECASE,
)
_KINDS: tuple[tuple[Kind, re.Pattern[str]], ...] = (
    ("truth", _TRUTH), ("text", _TEXT), ("number", _FRACTION), ("integer", _INTEGER),
)  # fmt: skip
_TYPED = re.compile(
    r"(?:int|integer|float|double|number|bool|boolean)\b|정수|실수|숫자|整数|数字|số nguyên",
    re.IGNORECASE,
)
_BARE = re.compile(r"[^\W\d_]{1,12}|_{1,4}|\?|<[^<>\n|/]{1,30}>")
_NUMBERS = re.compile(r"-?\d+(?:[.,]\d+)?(?:\s?(?:-|–|~|to|a|à|bis|đến)\s?\d+)?")
# Keys in single quotes are those of Python; in a text they would be apostrophes.
_TOKEN = re.compile(
    r""""(?P<key>(?:[^"\\\n]|\\.)*)"(?P<colon>\s*:)?|'(?P<single>[^'\n]{1,40})'\s*:|[{}]"""
)
# "with keys: label (A|B), reason"; 'JSON with "score" (1-5) and "reason"'
_KEYS_LISTED = re.compile(
    rf"(?:{words('key')})[^\n:：{{}}]{{0,60}}[:：]\s*(?P<list>[^\n{{}}]{{3,400}})", re.IGNORECASE
)
_KEYS_QUOTED = re.compile(
    rf"\bjson\b[^\n:：{{}}.]{{0,60}}?(?:\b(?:with|containing|has|have|mit|avec|con|com"
    rf"|gồm|chứa)\b|{words('key')}|包含|含む)[^\n{{}}\"'`“]{{0,40}}"
    r"(?P<list>[\"'`“][^\n{}]{2,300})",
    re.IGNORECASE,
)
# "os campos correcao (0 a 5), completude (0 a 5) e notas"
_KEYS_WITH_ASIDES = re.compile(
    rf"(?:{words('key')})[ \t]+(?P<list>[`\"'“*]{{0,3}}[^\W\d_]\w{{0,30}}[`\"'”*]{{0,3}}[ \t]?[(（]"
    r"[^()（）\n]{1,120}[)）][^\n{}]{0,300})",
    re.IGNORECASE,
)
# "JSON with boolean correct and string reason"
_KEYS_TYPED = re.compile(
    r"\bjson\b[^\n{}.]{0,40}?\b(?:with|of|containing)\s(?P<list>[^\n{}.]{3,200})", re.IGNORECASE
)
_TYPED_KEY = re.compile(
    r"\b(?P<type>boolean|bool|integer|int|float|number|string|str)\s(?:field |key )?"
    r"[`\"']?(?P<key>[a-z_]\w{0,30})[`\"']?(?=\s?(?:,|;|and\b|$|\())",
    re.IGNORECASE,
)
_KEY = re.compile(
    r"\s*(?:and|y|e|et|und|và|및|和|と)?\s*[`\"'“*]{0,3}(?P<key>[^\W\d_]\w{0,30}(?:[ _"
    r"-]\w{1,20}){0,2})[`\"'”*]{0,3}"
    r"\s*(?P<aside>[(（][^()（）]{0,120}[)）]"
    r"|[:：=][^,，;；、]{1,80})?\s*(?:[,，;；、.。]|$|(?=\s(?:and|y|e|et|und|và)\s))"
)
_KEY_LINE = re.compile(
    r"^[ \t]*(?:[-*•]|[(（]?\d{1,2}[.)）])[ \t]*(?P<mark>[`\"'*]{0,4})(?P<key>[a-z][A-"
    r"Za-z0-9]*(?:_[A-Za-z0-9]+)*)[`\"'*]{0,4}"
    r"[ \t]*(?P<aside>[(（][^()（）\n]{0,80}[)）])?[`\"'*]{0,4}[ \t]*[:：–—-][ \t]*(?P"
    r"<rest>[^\n]*)$",
    re.MULTILINE,
)
_LIST = re.compile(
    r"\W*(?:an? |una? |une |eine )?(?:list|array|danh sách|mảng|목록|배열|리스트|列表"
    r"|数组|リスト|配列|liste|lista|tableau|arreglo)",
    re.IGNORECASE,
)
# "verdict": "yes" or "no",
# "reason": "…"
_LOOSE = re.compile(
    r"(?:(?:^[ \t]*(?:[-*•][ \t]*)?|(?<=[\s:：]))\"\w[\w ]{0,40}\"[ \t]*:[ \t]*[^\n{}]{1,300}?"
    r"(?:,[ \t]*|,?[ \t]*\n|\Z)){2,}",
    re.MULTILINE,
)
_ASKS_FOR_REPLY = re.compile(
    rf"json|{words('format', 'answer', 'key', 'score', 'rating', 'give')}", re.IGNORECASE
)
_MOST = 200


@dataclass(frozen=True, slots=True)
class SampleField:
    """A key at the top of the sample, or one level below it (`within` names its group).

    `shown` are the values that this and other samples of the same form show for it.
    """

    key: str
    kind: Kind
    value: str
    at: int
    within: str = ""
    shown: tuple[str, ...] = ()
    listed: bool = False

    @property
    def scored(self) -> bool:
        return self.kind in {"number", "integer"}

    @property
    def tells(self) -> bool:
        """Whether it holds a verdict rather than words."""
        return self.scored or self.kind == "truth"


def find_sample(text: str) -> list[SampleField]:
    """The fields of the last sample that holds a verdict; empty when the prompt shows none.

    One that says what may stand in its places goes before examples.
    """
    samples = [
        fields
        for start, end in _blocks(text)
        if (fields := _fields(text, start, end)) and _is_reply(text, start, fields)
    ]
    known = [
        fields
        for fields in samples
        if any(_holds_verdict(one) or one.key in EXPLANATIONS for one in fields)
    ] or samples[:1]
    telling = [fields for fields in known if any(_says_how(one) for one in fields)]
    best = (telling or known or [[]])[-1]
    if not any(_holds_verdict(one) for one in best):
        return []
    return [replace(one, shown=_shown(one, known)) for one in best]


def _is_reply(text: str, start: int, fields: Sequence[SampleField]) -> bool:
    """Whether a block is the form of a reply, and no data that the prompt shows: its keys are those
    of replies, its places say what belongs there, or the words above ask for it."""
    verdicts = [one for one in fields if one.tells and one.key not in IDENTIFIERS]
    if any(one.key in EXPLANATIONS or one.key in SCORES for one in fields):
        return True
    if any(_says_how(one) for one in verdicts):
        return True
    lead = text[max(0, start - 300) : start]
    return bool(_ASKS_FOR_REPLY.search(lead)) and (bool(verdicts) or not fields[0].tells)


def _shown(field: SampleField, samples: Sequence[Sequence[SampleField]]) -> tuple[str, ...]:
    values = [
        one.value.strip(" \"'`[]") for fields in samples for one in fields
        if (one.key, one.within) == (field.key, field.within)
    ]  # fmt: skip
    return tuple(dict.fromkeys(values))


def _says_how(field: SampleField) -> bool:
    """Whether the place of a verdict shows a type, a range or options, and no example."""
    value = field.value.strip("\"' ")
    if not field.tells:
        return (
            field.kind == "text"
            and _holds_verdict(field)
            and bool(re.search(r"[|/]|\bor\b|<", value))
        )
    return not re.fullmatch(r"-?\d+(?:\.\d+)?|true|false", value, re.IGNORECASE)


def _holds_verdict(field: SampleField) -> bool:
    if field.tells or field.key in SCORES:
        return True
    if field.kind != "text" or field.key in EXPLANATIONS:
        return False
    if re.fullmatch(r"\W*\[\[\s?[\w>=<]{1,12}\s?\]\]\W*", field.value):
        return True
    choice = find_choices(field.value, labelled=True)
    return choice is not None and choice.weight >= SURE


def _blocks(text: str) -> list[tuple[int, int]]:
    """Where balanced braces begin and end; where there are none, keys in quotes that follow one
    another without braces around them."""
    blocks, depth, start = [], 0, 0
    for brace in re.finditer(r"[{}]", text):
        if brace[0] == "{":
            start = brace.start() if depth == 0 else start
            depth += 1
        elif depth:
            depth -= 1
            if depth == 0:
                blocks.append((start, brace.end()))
    if any(":" in text[start:end] for start, end in blocks):
        return blocks
    return [match.span() for match in islice(_LOOSE.finditer(text), _MOST)]


def _fields(text: str, start: int, end: int) -> list[SampleField]:
    keys = _keys(text, start, end)
    listed = text[max(0, start - 20) : start].rstrip().endswith("[") and bool(
        re.match(r"\s*(?:,|\]|\.\.\.|…)", text[end : end + 20])
    )
    schema = any(key == "properties" for key, *_ in keys)
    if schema and re.search(r"[\"']array[\"']", text[start : text.find("properties", start)]):
        listed = True
    fields = []
    for at, (key, key_at, value_at, depth, group) in enumerate(keys):
        last = keys[at + 1][1] if at + 1 < len(keys) else end - 1
        value = text[value_at:last].rstrip(",} \t\r\n").strip()
        if schema:
            if group == "properties":
                close = next((later[1] for later in keys[at + 1 :] if later[3] <= depth), end - 1)
                inner = text[value_at:close].strip()
                kind = _kind_of_schema(inner)
                fields.append(SampleField(key, kind, inner, key_at, listed=listed))
            continue
        kind = "group" if value.startswith("{") else _kind(key, value)
        # {"evaluation": {"tone": {"score": 3}}}: the verdicts may lie one deeper.
        listed_inside = depth > 2 and re.match(r"\[\s*\{", value)
        if depth <= 2 or listed_inside or (depth == 3 and (key in SCORES or key in VERDICTS)):
            fields.append(SampleField(key, kind, value, key_at, group, (), listed))
    return fields


def _keys(text: str, start: int, end: int) -> list[tuple[str, int, int, int, str]]:
    """Key, its offset, the offset of its value, its depth and the key that it stands below."""
    keys: list[tuple[str, int, int, int, str]] = []
    open_keys: list[str] = []
    for token in _TOKEN.finditer(text, start, end):
        if token[0] == "{":
            open_keys.append(keys[-1][0] if keys else "")
        elif token[0] == "}":
            del open_keys[-1:]
        elif token["colon"] or token["single"]:
            depth = len(open_keys)
            group = open_keys[-1] if depth > 1 else ""
            key = token["key"] or token["single"] or ""
            keys.append((key.strip(), token.start(), token.end(), depth, group))
    return keys


def _kind_of_schema(inner: str) -> Kind:
    kinds: dict[str, Kind] = {
        "integer": "integer",
        "number": "number",
        "boolean": "truth",
        "array": "list",
        "object": "group",
    }
    match = re.search(r"[\"']type[\"']\s*:\s*[\"'](\w+)", inner)
    return kinds.get(match[1], "text") if match else "text"


def _kind(key: str, value: str) -> Kind:  # noqa: PLR0911 - a return per kind
    """The kind of the words in a value's place; an explanation is one unless a type says no."""
    inner = value.strip("\"' ").strip("<>[](){} ")
    if re.match(r"\[\s*(?:[\"'{]|\]|\.\.\.|…|$)", value) or re.match(
        r"(?:list|array)\b", inner, re.IGNORECASE
    ):
        return "list"
    explains = key in EXPLANATIONS and not (
        _TYPED.match(inner) and not value.startswith(('"', "'"))
    )
    if not explains and not COUNTED.match(_NUMBERS.sub("", inner, count=1)):
        for kind, pattern in _KINDS:
            if pattern.match(inner):
                return kind
        if any(one.weight >= 3 and not one.values for one in find_ranges(inner, labelled=True)):
            return "integer"
    if key in RATINGS and re.fullmatch(r"\[[^\[\]\"'{}\n]{3,80}\]", value):
        return "integer"  # "score": [insert the score here]
    if value.startswith("["):
        return "list"
    if explains:
        return "text"
    # A bare word in the place of a value stands for a number: a text would have its quotes.
    if _BARE.fullmatch(value):
        return "text" if value.casefold() in {"null", "none", "nil"} else "integer"
    return (
        "integer"
        if key in (SCORES if not is_word_for_verdict(key, inner) else RATINGS)
        and not find_choices(value, labelled=True)
        and not _is_example(inner)
        else "text"
    )


def is_word_for_verdict(key: str, value: str) -> bool:
    """Whether the place of a verdict holds but a word for it: "result": "result"."""
    word = value.strip(" \"'`[]<>{}").casefold().removeprefix("your ").removeprefix("the ")
    return word in {key.casefold(), spaced(key)} or word in SCORES


def _is_example(value: str) -> bool:
    """Whether a text in a verdict's place is one of the verdicts: "PASS", "[[A]]"."""
    return re.fullmatch(r"\W*\w[\w+<>= -]{0,24}\W*", value) is not None and value not in SCORES


def find_keys(text: str) -> list[SampleField]:
    """The keys of a reply in JSON that the prompt names in words; empty when it names none."""
    fields: dict[str, SampleField] = {}
    for field in [*_named_in_line(text), *_named_by_lines(text), *_named_with_types(text)]:
        known = fields.get(field.key)
        if known is None or (known.kind == "text" and field.kind != "text"):
            fields[field.key] = field
    return (
        list(fields.values())
        if any(_holds_verdict(one) or one.key in VERDICTS for one in fields.values())
        else []
    )


def _named_in_line(text: str) -> Iterator[SampleField]:
    """ "with keys: label (A|B), reason", "JSON with `score` (1-5) and `reason`"."""
    for pattern in (_KEYS_LISTED, _KEYS_QUOTED, _KEYS_WITH_ASIDES):
        for match in islice(pattern.finditer(text), _MOST):
            keys: list[re.Match[str]] = []
            for key in _KEY.finditer(match["list"]):
                if keys and key.start() > keys[-1].end() + 4:
                    break
                keys.append(key)
            if pattern is _KEYS_QUOTED:
                keys = [key for key in keys if match["list"][key.start("key") - 1] in "`\"'“*"]
            if any(len(key["key"].split()) > 3 for key in keys):
                continue
            for key in keys:
                aside = (key["aside"] or "").strip(" ()（）:：=")
                at = match.start("list") + key.start("key")
                kind = _kind_in_words(key["key"], aside)
                yield SampleField(key["key"].strip(), kind, aside, at)


def _named_with_types(text: str) -> Iterator[SampleField]:
    """ "JSON with boolean correct and string reason"."""
    for match in islice(_KEYS_TYPED.finditer(text), _MOST):
        for key in _TYPED_KEY.finditer(match["list"]):
            at = match.start("list") + key.start("key")
            yield SampleField(key["key"], _kind_in_words(key["key"], key["type"]), "", at)


def _named_by_lines(text: str) -> Iterator[SampleField]:
    """ "1. correctness_score: 1-5. Is it right?": a line per key."""
    run: list[re.Match[str]] = []
    for line in [*islice(_KEY_LINE.finditer(text), _MOST), None]:
        if line and run and text.count("\n", run[-1].end(), line.start()) <= 3:
            run.append(line)
            continue
        if len(run) > 1 or (run and run[0]["mark"]):
            lead = text[max(0, run[0].start() - 300) : run[0].start()].rstrip()
            shared = bool(find_ranges(lead[lead.rfind("\n\n") + 1 :] or lead) or _heads(lead))
            for one in run:
                value = f"{one['aside'] or ''} {one['rest']}".strip()
                kind = _kind_in_words(one["key"], value)
                if kind == "text" and shared and one["key"] not in EXPLANATIONS:
                    kind, value = "integer", ""
                yield SampleField(one["key"], kind, value, one.start("key"))
        run = [line] if line else []


def _heads(lead: str) -> bool:
    """Whether a list stands below a heading alone, above which the range of its entries stands."""
    above, _, heading = lead.rpartition("\n")
    return heading.lstrip().startswith("#") and bool(
        find_ranges(above.rstrip().rpartition("\n\n")[2])
    )


def _kind_in_words(key: str, said: str) -> Kind:
    if key in EXPLANATIONS and not _TYPED.match(said.strip("(（ ")):
        return "text"
    said = said.strip("(（ ")
    if _LIST.match(said):
        return "list"
    choice = find_choices(said, labelled=True) if said else None
    if choice and choice.weight >= SURE and not re.match(r"-?\d", said):
        return "truth" if choice.scale["type"] == "binary" and _KINDS[0][1].search(said) else "text"
    for kind, pattern in _KINDS:
        if kind != "text" and pattern.match(said):
            return kind
    if any(one.weight >= 3 for one in find_ranges(said, labelled=True)):
        return "integer"
    return "integer" if not said and (key in RATINGS or key in CONFIDENCES) else "text"
