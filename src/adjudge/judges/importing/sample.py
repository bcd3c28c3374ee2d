"""The fields of a JSON reply: from a sample in the prompt, from a JSON Schema, or named in words.

Samples are seldom valid JSON (`"tone": [float, how it sounds],`), so only keys, quotes and braces
are read, and the kind of a value from the words in its place.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Literal

from .choice import SURE
from .choices import find_choices
from .numerals import COUNTED
from .ranges import find_ranges
from .vocabulary import VERDICT_WORDS, words
from .words import EXPLANATIONS, IDENTIFIERS, RATINGS, REASONS, SCORES, VERDICTS, spaced

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
KINDS: tuple[tuple[Kind, re.Pattern[str]], ...] = (
    ("truth", _TRUTH), ("text", _TEXT), ("number", _FRACTION), ("integer", _INTEGER),
)  # fmt: skip
TYPED = re.compile(
    r"(?:int|integer|float|double|number|bool|boolean)\b|정수|실수|숫자|整数|数字|số nguyên",
    re.IGNORECASE,
)
_BARE = re.compile(r"[^\W\d_]{1,12}\d?|_{1,4}|\?|<[^<>\n|/]{1,30}>")
_NUMBERS = re.compile(r"-?\d+(?:[.,]\d+)?(?:\s?(?:-|–|~|to|a|à|bis|đến)\s?\d+)?")
_A_LIST = re.compile(r"\[\s*(?:[\"'{]|\]|\.\.\.|…|$)")
_RANGE_ALONE = re.compile(r"\d{1,3}\s?[-–—~]\s?\d{1,3}")  # "critical_thinking": <0-25>
# "verdict": "<one paragraph: why hire or not hire>"
PROSE = re.compile(rf"\W{{0,3}}(?:[^\W\d]+[ -]){{0,3}}{words('counted')}", re.IGNORECASE)
# "recommendation": "APPROVE|REVISE|REJECT"
OPTIONS_ALONE = re.compile(
    r"\W{0,3}[^\W\d_][\w -]{1,24}(?:\W?\s?\|\s?\W?[^\W\d_][\w -]{1,24}){1,7}\W{0,3}"
)
# Keys in single quotes are those of Python; in a text they would be apostrophes.
_TOKEN = re.compile(
    r""""(?P<key>(?:[^"\\\n]|\\.)*)"(?P<colon>\s*:)?|'(?P<single>[^'\n]{1,40})'\s*:|[{}]"""
    r"|(?<=[\s{,;])(?P<bare>[A-Za-z_]\w{0,40})\??(?=:\s?[^\s:])"
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
_DEDUCTED = re.compile(words("deduct"), re.IGNORECASE)
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
    blocks = _blocks(text)
    blocks = blocks if len(blocks) <= _MOST else blocks[: _MOST // 2] + blocks[-_MOST // 2 :]
    samples = [
        fields
        for start, end in blocks
        if (fields := _fields(text, start, end)) and _is_reply(text, start, fields)
    ]
    known = [
        fields
        for fields in samples
        if any(holds_verdict(one) or one.key in EXPLANATIONS for one in fields)
    ] or samples[:1]
    telling = [fields for fields in known if any(_says_how(one) for one in fields)]
    best = (telling or known or [[]])[-1]
    if not any(holds_verdict(one) for one in best):
        return []
    return [replace(one, shown=_shown(one, known)) for one in best]


def described(text: str, key: str) -> str:
    """What the prompt says of a key elsewhere: the lines “- "key": …” and “The "key" field …”, and
    behind the key within a line where nothing else is called so."""
    quoted = re.escape(key)
    lines = re.findall(
        rf"^[ \t]*(?:(?:[-*•]|[(（]?\d{{1,2}}[.)）])[ \t]*)?"
        rf"(?:the )?[*_`\"']{{0,4}}{quoted}[*_`\"']{{0,4}}(?![\w\"])[ \t]*"
        r"((?:\([^()\n]*\)[ \t]*)?(?:(?:field|key|es|ist|is|est|é|là|(?:must|should"
        r"|can) be|muss|debe|doit|deve|phải)\b|[:：=–∈-])[ \t]*[^\n]+)",
        text,
        re.IGNORECASE | re.MULTILINE,
    )
    lines = [line.lstrip(" :：=–-") for line in lines if re.search(r"\w", line)]
    lines += re.findall(
        rf"^[ \t]*\|[ \t*`]*{quoted}[ \t*`]*\|([^\n]{{1,120}})$", text, re.MULTILINE
    )
    if "_" in key or not lines:
        marks = "" if "_" in key else "[`*]{0,2}"
        ends = r"(?![\w\"'])" if key.isascii() else r"(?![\"'])"  # 总分100分
        inside = re.finditer(
            rf"(?<![\w\"'{{]){marks}{quoted}[`*\"']{{0,2}}{ends}"
            r"\s?((?:[:：=(（∈]|\d)[^\n。；;)）}]{2,120})"
            rf"|[\"'`]{quoted}[\"'`]\s(?:is|are|(?:must|should|can) be)\s((?=\S)[^\n.]{{2,120}})",
            text,
            re.IGNORECASE,
        )
        # What is taken off a score is no scale of it.
        lines += [
            match[1] or match[2] for match in islice(inside, 5)
            if not _DEDUCTED.search(text[max(0, match.start() - 12) : match.start()])
        ]  # fmt: skip
    if "_" in key and not lines:  # "give a context_score of 0 if …, a context_score of 1 if …"
        mentioned = re.finditer(rf"^[^\n]*(?<![\w\"'{{]){quoted}(?!\w)[^\n]*$", text, re.MULTILINE)
        lines += [match[0] for match in islice(mentioned, 12)]
    return "\n".join(lines)


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
            and holds_verdict(field)
            and bool(re.search(r"[|/]|\bor\b|<", value))
        )
    return not re.fullmatch(r"-?\d+(?:\.\d+)?|true|false", value, re.IGNORECASE)


def holds_verdict(field: SampleField) -> bool:
    if field.tells or field.key in SCORES:
        return True
    if shows_verdict(field):
        return True
    if field.kind != "text" or (
        field.key in EXPLANATIONS and not OPTIONS_ALONE.fullmatch(field.value)
    ):
        return False
    if re.fullmatch(r"\W*\[\[\s?[\w>=<]{1,12}\s?\]\]\W*", field.value):
        return True
    choice = find_choices(field.value, labelled=True)
    return choice is not None and choice.weight >= SURE


def shows_verdict(field: SampleField) -> bool:
    """Whether the place of a text shows one of the verdicts that we know: {"pred": "yes"}."""
    value = field.value.strip(" \"'`[]").casefold()
    known = value in VERDICT_WORDS and value not in _OF_ANY_KEY
    return known and field.kind == "text" and field.key not in REASONS | IDENTIFIERS


_OF_ANY_KEY = frozenset({"none", "null", "unknown", "n/a", "both", "first", "second", "x", "o"})


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
        value = text[value_at:last].rstrip(",;} \t\r\n").strip()
        if schema:
            if group == "properties":
                close = next((later[1] for later in keys[at + 1 :] if later[3] <= depth), end - 1)
                inner = text[value_at:close].strip()
                kind = _kind_of_schema(inner)
                fields.append(SampleField(key, kind, inner, key_at, listed=listed))
            continue
        kind = "group" if value.startswith("{") else _kind(key, value)
        if not re.search(r"\w", value) and kind == "text":  # {"Evaluation": ""}
            kind, value = _as_described(text, key, value)
        # {"evaluation": {"tone": {"score": 3}}}: the verdicts may lie one deeper.
        listed_inside = depth > 2 and re.match(r"\[\s*\{", value)
        if depth <= 2 or listed_inside or (depth == 3 and (key in SCORES or key in VERDICTS)):
            fields.append(SampleField(key, kind, value, key_at, group, (), listed))
    return fields


def _as_described(text: str, key: str, value: str) -> tuple[Kind, str]:
    """What the prompt says elsewhere of a key with an empty place."""
    said = described(text, key)
    choice = find_choices(said, labelled=True) if said else None
    if choice and choice.weight >= SURE:
        return "text", "|".join(choice.scale.get("options", ("yes", "no")))
    return ("integer", said) if find_ranges(said, labelled=True) else ("text", value)


def _keys(text: str, start: int, end: int) -> list[tuple[str, int, int, int, str]]:
    """Key, its offset, the offset of its value, its depth and the key that it stands below."""
    keys: list[tuple[str, int, int, int, str]] = []
    open_keys: list[str] = []
    tokens = list(_TOKEN.finditer(text, start, end))
    quoted = any(token["colon"] or token["single"] for token in tokens)
    for token in tokens:
        if token[0] == "{":
            open_keys.append(keys[-1][0] if keys else "")
        elif token[0] == "}":
            del open_keys[-1:]
        elif token["colon"] or token["single"] or _is_bare_key(text, token, quoted):
            depth = len(open_keys)
            group = open_keys[-1] if depth > 1 else ""
            key = token["key"] or token["single"] or token["bare"] or ""
            at = token.end() + (1 if token["bare"] else 0)
            keys.append((key.strip(), token.start(), at, depth, group))
    return keys


def _is_bare_key(text: str, token: re.Match[str], quoted: bool) -> bool:
    """{ passed: boolean; reason: string }: a key as TypeScript writes it, where none has quotes."""
    before = text[max(0, token.start() - 60) : token.start()].rstrip(" \t")
    return bool(token["bare"]) and not quoted and before.endswith(("{", ",", ";", "\n"))


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
    if _A_LIST.match(value) or re.match(r"(?:list|array)\b", inner, re.IGNORECASE):
        return "list"
    typed = TYPED.match(inner) or _RANGE_ALONE.fullmatch(inner) or _NUMBERS.fullmatch(inner)
    explains = key in EXPLANATIONS and not (typed and not value.startswith(('"', "'")))
    if not explains and not COUNTED.match(_NUMBERS.sub("", inner, count=1)):
        for kind, pattern in KINDS:
            if pattern.match(inner):
                return kind
        if any(one.weight >= 3 and not one.values for one in find_ranges(inner, labelled=True)):
            return "integer"
    if key in RATINGS and re.fullmatch(r"\[[^\[\]\"'{}\n]{3,80}\]", value):
        return "integer"  # "score": [insert the score here]
    if value.startswith("["):
        return "list"
    if explains or (PROSE.match(value) and value.startswith(('"', "'"))):
        return "text"
    # A bare word in the place of a value stands for a number: a text would have its quotes.
    if _BARE.fullmatch(value):
        return "text" if value.casefold() in {"null", "none", "nil"} else "integer"
    return (
        "integer"
        if key in RATINGS and not find_choices(value, labelled=True) and not _is_example(inner)
        else "text"
    )


def is_word_for_verdict(key: str, value: str) -> bool:
    """Whether the place of a verdict holds but a word for it: "result": "result"."""
    word = value.strip(" \"'`[]<>{}").casefold().removeprefix("your ").removeprefix("the ")
    return word in {key.casefold(), spaced(key)} or word in SCORES


def _is_example(value: str) -> bool:
    """Whether a text in a verdict's place is one of the verdicts: "PASS", "[[A]]"."""
    return re.fullmatch(r"\W*\w[\w+<>= -]{0,24}\W*", value) is not None and value not in SCORES
