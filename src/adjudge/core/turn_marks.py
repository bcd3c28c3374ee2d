"""The marks by which chat templates part the speakers, broken where a text from outside has them.

A runtime that reads `<|im_end|>` inside a judged text may take it for the real end of the turn, and
a reader that finds `</think>` in a quotation for the end of the model's thoughts. A mark is broken
by one middle dot behind its first sign (`<·|im_end|>`), which leaves it readable. White space would
not do: a model reads `< think >` as the tag all the same.

Most marks are of a few shapes (`<|…|>`, `[|…|]`, `<|…>`); the others are in tables. Case does not
count, nor do white space, joiners, `_` and `-` inside a mark, and the signs of other scripts that
look like those of a mark stand for them.
"""

from __future__ import annotations

import re
import unicodedata
from itertools import pairwise

DOT = "·"

_TAGS = frozenset(
    """
    s bos eos pad unk mask cls sep sop eop eod eot eom eoh eoa im_start im_end endoftext
    bos_token eos_token pad_token unk_token cls_token sep_token mask_token eop_token eod_token
    begin_of_text end_of_text begin_of_sentence beginning_of_sentence end_of_sentence
    start_of_turn end_of_turn start_of_role end_of_role start_of_image end_of_image image_soft_token
    start_function_call end_function_call start_function_response end_function_response
    think thinking thought thoughts reasoning
    sys system user human assistant bot ai role inst 用户
    tool_call tool_calls tool_response tool_responses tool_result tool_results
    function_call function_calls function_results
    """.replace("_", "").split()
)
_SHORT = frozenset({"s", "ai"})
_BARRED = _TAGS | {"turn", "channel", "message", "tool", "image", "audio", "video", "dsml"}
_NUMBERED_TAG = re.compile(
    r"(?:extraid|unused|reserved|special|tokensunused|reservedspecialtoken|specialtoken)\d+"
    r"|(?:seed|minimax|longcat|mm):?\w+"
)
_BRACKETS = frozenset(
    """
    inst system_prompt available_tools tool_calls tool_results tool_content model_settings think
    args call_id img img_break img_end audio begin_audio prefix suffix middle
    gmask smask mask cls sep pad unk bos eos
    """.replace("_", "").split()
)
_FALCON = "title|abstract|introduction|summary|comment|answer|question|domain|prefix|suffix|middle"
_ROLES = (
    "system|user|human|assistant|instruction|input|response|output|bot|ai"
    "|câu hỏi|trả lời|질문|답변|명령어|응답"
)

# Bounded, and a candidate holds none of its own signs: a megabyte of them costs one look each.
_CANDIDATES = {"<": re.compile(r"<([^<>]{1,80})>"), "[": re.compile(r"\[([^\[\]]{1,40})\]")}
# Those of no such shape, each with a part that is looked for first: most texts have none of them.
_IRREGULAR = {
    needle: re.compile(pattern, flags | re.MULTILINE)
    for needle, pattern, flags in (
        ("~", r"\](?=~!?b[\[\]])|\[(?=e~\[)", re.IGNORECASE),  # MiniMax
        (">>", rf">(?=>\s?(?:{_FALCON})\s?<<)", re.IGNORECASE),  # Falcon
        ("<[", r"<(?=\[[^\[\]<>]{1,40}\]>)", 0),  # Seed
        ("|||", r"\|(?=\|\|\w{1,20}\|\|\|)", 0),  # OLMo
        # Alpaca and similar ones, SOLAR, PhoGPT, KoAlpaca
        (
            "##",
            rf"^[^\S\n]{{0,3}}#{{2,4}}(?=[^\S\n]{{0,3}}(?:{_ROLES})[^\S\n]{{0,3}}:)",
            re.IGNORECASE,
        ),
        # Vicuna; in small letters such a line is ordinary text.
        *(
            (role, rf"^[^\S\n]{{0,3}}(?:GPT4 Correct )?{role}(?=[^\S\n]?:)", 0)
            for role in ("SYSTEM", "USER", "HUMAN", "ASSISTANT")
        ),
    )
}
_INSIDE = re.compile(r"[\s_\u200c\u200d-]+")
_JOINERS = re.compile("[\u200c\u200d]")
_IN_BARS = re.compile(r"\|[\w:./\"'!]+\|")
_BAR_AT_ONE_END = re.compile(r"\|[\w:./|-]+|[\w:./|-]+\|")


def _look_alikes() -> dict[int, str]:
    """Signs that look like an ASCII one, each for one, so that places in a text stay the same."""
    alike = {
        "<": "‹〈⟨❮❰˂ᐸ‹〈",
        ">": "›〉⟩❯❱˃ᐳ›〉",
        "[": "〔【⟦❲〚",
        "]": "〕】⟧❳〛",
        "|": "¦ǀ∣│┃❘⏐∥",
        "/": "∕⁄╱⧸",
        "_": "▁‗＿",
        ":": "：꞉∶",
    }
    letters = {ord(sign): plain for plain, signs in alike.items() for sign in signs}
    # full-width, circled and mathematical letters
    for code in (*range(0xFF01, 0xFF5F), *range(0x24B6, 0x24EA), *range(0x1D400, 0x1D7FF)):
        plain = unicodedata.normalize("NFKC", chr(code))
        if len(plain) == 1 and plain.isascii():
            letters.setdefault(code, plain)
    return letters


_PLAIN = _look_alikes()
_ALIKE = frozenset(map(chr, _PLAIN))


def break_turn_marks(text: str) -> str:
    """The text with every mark broken; doing it twice changes nothing more."""
    plain = text
    if not text.isascii() and not _ALIKE.isdisjoint(text):
        plain = text.translate(_PLAIN)
    places = {
        match.start() + 1
        for opening, candidates in _CANDIDATES.items()
        if opening in plain
        for match in candidates.finditer(plain)
        if _is_mark(match[1], opening)
    }
    for needle, irregular in _IRREGULAR.items():
        if needle in plain:
            places |= {match.end() for match in irregular.finditer(plain)}
    if not places:
        return text
    ends = [0, *sorted(places), len(text)]
    return DOT.join(text[start:end] for start, end in pairwise(ends))


def _is_mark(inside: str, opening: str) -> bool:
    """Whether what stands between two brackets makes a mark of them."""
    if inside.startswith(DOT):
        return False
    name = _INSIDE.sub("", inside).lower()
    if _IN_BARS.fullmatch(name):
        return opening == "<" or name.strip("|").isalnum()
    bare = name.strip("/")
    if opening == "[":
        return bare in _BRACKETS
    if bare in _TAGS or _NUMBERED_TAG.fullmatch(bare):
        # "a < s > b" is a comparison
        return bare not in _SHORT or bare != name or inside == inside.strip()
    return (name.startswith("|") or name.endswith("|")) and _is_barred(inside, name)


def _is_barred(inside: str, name: str) -> bool:
    """With a bar at one end. "f <| g x > y" is a program: with white space inside, only a name that
    is known counts."""
    in_one_piece = _BAR_AT_ONE_END.fullmatch(_JOINERS.sub("", inside).strip())
    return bool(in_one_piece or not _BARRED.isdisjoint(name.split("|")))
