"""The keys of a JSON reply that a prompt names in words, and what it says of each."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice

from .choice import SURE
from .choices import find_choices
from .numerals import runs
from .ranges import find_ranges
from .sample import KINDS, TYPED, Kind, SampleField, described, holds_verdict
from .vocabulary import words
from .words import CONFIDENCES, EXPLANATIONS, IDENTIFIERS, PARTS, PASSES, RATINGS, VERDICTS

# "with keys: label (A|B), reason"; 'JSON with "score" (1-5) and "reason"'
_KEYS_LISTED = re.compile(
    rf"(?:{words('key')})[^\n:：{{}}]{{0,60}}[:：]\s*(?P<list>[^\n{{}}]{{3,400}})", re.IGNORECASE
)
_KEYS_QUOTED = re.compile(
    rf"\b(?:json|dict(?:ionary)?)\b[^\n:：{{}}.]{{0,60}}?(?:\b(?:with|containing|has|have|mit|avec|con|com"
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
# "JSON con los campos nota, aprobada y comentario"
_KEYS_PLAIN = re.compile(
    rf"\b(?:json|dict(?:ionary)?)\b[^\n{{}}.]{{0,60}}?{words('key')}[ \t]+"
    rf"(?P<list>[a-z]\w{{1,30}}(?:,[ \t][a-z]\w{{1,30}}){{0,8}},?[ \t]{words('and')}"
    r"[ \t][a-z]\w{1,30})\b",
    re.IGNORECASE,
)
# "JSON with boolean correct and string reason"
_KEYS_TYPED = re.compile(
    r"\bjson\b[^\n{}.]{0,40}?(?:\b(?:with|of|containing)\s|:\s)(?P<list>[^\n{}.]{3,200})",
    re.IGNORECASE,
)
# "a single key, binary_score, that is 'yes' or 'no'"
_KEY_ALONE = re.compile(
    r"\b(?:single|one|only) (?:key|field)[,:]?\s(?:named |called )?"
    r"[`\"']?(?P<key>[A-Za-z_]\w{1,30})[`\"']?,?\s"
    r"(?:that|which|whose value|with the value|set to|being|is)\s(?P<rest>[^\n.{}]{2,80})",
    re.IGNORECASE,
)
# { adequacy, fluency, reason }: the keys alone, as JavaScript may write them
KEYS_BRACED = re.compile(
    r"\{\s{0,9}(?P<list>[A-Za-z_]\w{0,30}(?:\s?,\s{0,9}[A-Za-z_]\w{0,30}){1,12})\s{0,9},?\s{0,9}\}"
)
# "passed (boolean)", "passed: boolean"
_KEY_AND_TYPE = re.compile(
    r"[`\"']?(?P<key>[A-Za-z_]\w{0,30})[`\"']?\s?(?:[(（]|:\s?)"
    r"(?P<type>boolean|bool|integer|int|float|number|string|str)\b"
)
# "status": and its options on the next lines
_KEY_OVER_LIST = re.compile(
    r"^[ \t]*[\"'`](?P<key>[A-Za-z]\w{0,40})[\"'`][ \t]*[:：](?P<said>[^\n]{0,80})"
    r"(?P<rows>(?:\n[ \t]*[-*•][ \t][^\n]{1,200}){2,8})",
    re.MULTILINE,
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
    r"|[:：=][^,，;；、]{1,80})?\s*(?:[,，;；、.。]|$|(?=\s(?:and|y|e|et|und|và|keys?|fields?)\b))"
)
_KEY_LINE = re.compile(
    r"^[ \t]*(?:[-*•]|[(（]?\d{1,2}[.)）])[ \t]*(?P<mark>[`\"'*]{0,4})(?P<key>[a-z][A-"
    r"Za-z0-9]*(?:_[A-Za-z0-9]+)*)[`\"'*]{0,4}"
    r"[ \t]*(?P<aside>[(（][^()（）\n]{0,80}[)）])?[`\"'*]{0,4}[ \t]*"
    r"(?:[:：–—-][ \t]*(?P<rest>[^\n]*)|(?<=[)）])|(?<=[)）][ \t]))$",
    re.MULTILINE,
)
_AND = re.compile(words("and"), re.IGNORECASE)
_LIST = re.compile(
    r"\W*(?:an? |una? |une |eine )?(?:list|array|danh sách|mảng|목록|배열|리스트|列表"
    r"|数组|リスト|配列|liste|lista|tableau|arreglo)",
    re.IGNORECASE,
)
_MOST = 200


def find_keys(text: str) -> list[SampleField]:
    """The keys of a reply in JSON that the prompt names in words; empty when it names none."""
    fields: dict[str, SampleField] = {}
    for field in [
        *_named_in_line(text),
        *_named_by_lines(text),
        *_named_with_types(text),
        *_named_plainly(text),
        *_named_alone(text),
        *_named_over_lists(text),
    ]:
        known = fields.get(field.key)
        if known is None or (known.kind == "text" and field.kind != "text"):
            fields[field.key] = field
    named = [_as_described(text, one) for one in fields.values()]
    # {"clarity", "depth", "reason"} where scores are asked for: what explains nothing is scored.
    telling = any(holds_verdict(one) or one.key in VERDICTS for one in named)
    scored = [one for one in named if _is_open(one) and (not telling or text.count(one.key) > 1)]
    if len(scored) < 2 or not find_ranges(text):
        return named if telling else []
    return [replace(one, kind="integer") if one in scored else one for one in named]


def _is_open(field: SampleField) -> bool:
    """Whether nothing is said of what a key holds, and its name is none of a text's."""
    return field.kind == "text" and not field.value and field.key not in EXPLANATIONS | IDENTIFIERS


def _as_described(text: str, field: SampleField) -> SampleField:
    """A key of which nothing is said beside it, but a range elsewhere."""
    said = described(text, field.key) if _is_open(field) else ""
    if said and find_ranges(said, labelled=True):
        return replace(field, kind="integer")
    choice = find_choices(said, labelled=True) if said else None
    return replace(field, value=said) if choice and choice.weight >= SURE else field


def _named_plainly(text: str) -> Iterator[SampleField]:
    """ "JSON with the fields score, passed and comment"."""
    for match in islice(_KEYS_PLAIN.finditer(text), _MOST):
        for key in re.finditer(r"\w+", match["list"]):
            if not _AND.fullmatch(key[0]):
                kind = _kind_in_words(key[0], "")
                yield SampleField(key[0], kind, "", match.start("list") + key.start())


def _named_alone(text: str) -> Iterator[SampleField]:
    """ "a single key, binary_score, that is 'yes' or 'no'"."""
    for match in islice(_KEY_ALONE.finditer(text), _MOST):
        kind = _kind_in_words(match["key"], match["rest"])
        yield SampleField(match["key"], kind, match["rest"], match.start("key"))


def _named_over_lists(text: str) -> Iterator[SampleField]:
    """ "status": and below it - "ok" if …, - "bad" if …"""
    for match in islice(_KEY_OVER_LIST.finditer(text), _MOST):
        said = f"{match['said']}{match['rows']}"
        yield SampleField(match["key"], "text", said, match.start("key"))


def _named_in_line(text: str) -> Iterator[SampleField]:
    """ "with keys: label (A|B), reason", "JSON with `score` (1-5) and `reason`"."""
    for pattern in (_KEYS_LISTED, _KEYS_QUOTED, _KEYS_WITH_ASIDES, KEYS_BRACED):
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
        keys = [*_TYPED_KEY.finditer(match["list"]), *_KEY_AND_TYPE.finditer(match["list"])]
        for key in keys:
            at = match.start("list") + key.start("key")
            yield SampleField(key["key"], _kind_in_words(key["key"], key["type"]), "", at)


def _named_by_lines(text: str) -> Iterator[SampleField]:
    """ "1. correctness_score: 1-5. Is it right?": a line per key."""
    for run in runs(
        islice(_KEY_LINE.finditer(text), _MOST),
        lambda run, line: text.count("\n", run[-1].end(), line.start()) <= 3,
    ):
        if len(run) > 1 or run[0]["mark"]:
            lead = text[max(0, run[0].start() - 300) : run[0].start()].rstrip()
            shared = bool(find_ranges(lead[lead.rfind("\n\n") + 1 :] or lead) or _heads(lead))
            for one in run:
                value = f"{one['aside'] or ''} {one['rest'] or ''}".strip()
                kind = _kind_in_words(one["key"], value)
                if kind == "text" and shared and one["key"] not in EXPLANATIONS:
                    kind, value = "integer", ""
                yield SampleField(one["key"], kind, value, one.start("key"))


def _heads(lead: str) -> bool:
    """Whether a list stands below a heading alone, above which the range of its entries stands."""
    above, _, heading = lead.rpartition("\n")
    return heading.lstrip().startswith("#") and bool(
        find_ranges(above.rstrip().rpartition("\n\n")[2])
    )


def _kind_in_words(key: str, said: str) -> Kind:
    if key in EXPLANATIONS and not TYPED.match(said.strip("(（ ")):
        return "text"
    said = said.strip("(（ ")
    if _LIST.match(said):
        return "list"
    choice = find_choices(said, labelled=True) if said else None
    if choice and choice.weight >= SURE and not re.match(r"-?\d", said):
        return "truth" if choice.scale["type"] == "binary" and KINDS[0][1].search(said) else "text"
    for kind, pattern in KINDS:
        if kind != "text" and pattern.match(said):
            return kind
    if any(one.weight >= 3 for one in find_ranges(said, labelled=True)):
        return "integer"
    rated = key in RATINGS or key in PARTS or key in CONFIDENCES
    passes = not said and key in PASSES
    return "truth" if passes else "integer" if not said and rated else "text"
