"""Prompts in JavaScript and TypeScript files: template literals, strings and sums of them.

The file is read and never run. `${answer}` and `${row.answer}` are places; what an expression
computes is named after what it is computed from. A text that is put together of more than that is
named as one that cannot be imported, and never imported in part.
"""

from __future__ import annotations

import re
from bisect import bisect
from collections.abc import Iterator
from dataclasses import dataclass, replace

from adjudge.core.reason import Reason
from adjudge.errors import UsageError

from .naming import numbered
from .placeholders import Style, expression_name
from .prompt_text import FoundPrompt

# What is skipped: comments and regular expressions. Then strings; "`" begins a template.
_TOKEN = re.compile(
    r"(?P<skip>//[^\n]*|/\*.*?\*/|(?<=[(,=:\[!&|?{};])\s?/(?![*/ ])"
    r"(?:[^/\\\n\[]|\\.|\[(?:[^\]\\\n]|\\.)*\])+/)"
    r"|(?P<string>'(?:[^'\\\n]|\\.)*'|\"(?:[^\"\\\n]|\\.)*\")|(?P<tick>`)",
    re.DOTALL,
)
_PART = re.compile(r"\\(?:u\{(\w+)\}|u(\w{4})|x(\w{2})|\r?\n|(.))|\$\{|`|[^\\`$]+|\$", re.DOTALL)
_ESCAPED = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "v": "\v", "0": "\0"}
# `const name: string =`, `name:`, `"name": (row) =>`
_NAMED = re.compile(
    r"(?P<name>[A-Za-z_$][\w$.]*|[\"'][^\"'\n]{1,60}[\"'])\s*\??"
    r"(?::\s*[\w<>\[\]., |]{1,40})?\s*[:=]\s*"
    r"(?:\(?[^()\n=]{0,80}\)?\s*=>\s*)?\(?\s*$"
)
_RETURNED = re.compile(r"(?:\breturn|=>)\s*\(?\s*$")
_FUNCTION = re.compile(
    r"\bfunction\s*\*?\s*(\w+)\s*\("
    r"|\b(?:const|let|var)\s+(\w+)\s*(?::[^=\n]{1,80})?=\s*(?:async\s*)?"
    r"(?:function\b|\([^()]{0,200}\)[^=\n]{0,60}=>|\w+\s*=>)"
    r"|^[ \t]+(?:(?:async|static|private|public|protected)\s+)*(\w+)\s*\([^()]{0,200}\)"
    r"[^{}\n]{0,80}\{[ \t]*$",
    re.MULTILINE,
)
_ROLE = re.compile(
    r"[\"']?role[\"']?\s*:\s*[\"'](\w+)[\"']\s*(?:as const\s*)?,\s*[\"']?content[\"']?\s*:\s*$"
)
_AFTER = re.compile(r"\s*(?:(?P<plus>\+)|\.(?:trim|trimStart|trimEnd)\(\)|(?P<call>\.\w+))?\s*")
_OPERAND = re.compile(r"\s*(?P<operand>[A-Za-z_$][\w$.?]*(?:\([^()\n]*\)|\[[^\[\]\n]*\])*)\s*")
_NOT_NAMES = frozenset({"if", "for", "while", "switch", "catch", "return", "function"})
_TOGETHER = Reason("import.together")
_DEEPEST = 20
_SHORTEST = 12  # characters; what is shorter and has no place is a key or a word


@dataclass(frozen=True, slots=True)
class _Literal:
    """A text in the file, with its places written ${name}; `sure` where nothing else adds to it."""

    start: int
    end: int
    text: str
    places: bool
    problem: Reason | None = None


def script_prompts(text: str, where: str) -> list[FoundPrompt]:
    """Every text of the file that may be a prompt, under the name that it is given."""
    try:
        literals = _joined_lists(text, list(_literals(text)))
    except RecursionError:
        raise UsageError(Reason("import.too_deep").in_file(where)) from None
    line_ends = [match.start() for match in re.finditer("\n", text)]
    functions = [(match.start(), _function_name(match)) for match in _FUNCTION.finditer(text)]
    functions = [(at, name) for at, name in functions if name not in _NOT_NAMES]
    starts = [at for at, _ in functions]
    known: dict[str, int] = {}
    prompts: list[FoundPrompt] = []
    for one in literals:
        if len(one.text) < _SHORTEST and not one.places:
            continue
        before = text[max(0, one.start - 240) : one.start]
        role, named = _ROLE.search(before), _NAMED.search(before)
        owner = bisect(starts, one.start) - 1
        path = functions[owner][1] if owner >= 0 else ""
        name = role[1] if role else named["name"].strip("\"'") if named else ""
        if not name and not _RETURNED.search(before) and not path:
            name = "text"
        name = ".".join(filter(None, (path, name))) if name != path else name
        name = numbered(name, known)
        style: Style | None = "dollar" if one.places else None
        line = bisect(line_ends, one.start) + 1
        prompts.append(
            FoundPrompt(name=name, text=one.text, line=line, style=style, problem=one.problem)
        )
    return prompts


def _function_name(match: re.Match[str]) -> str:
    return match[1] or match[2] or match[3] or ""


def _literals(text: str) -> Iterator[_Literal]:
    """Strings and templates with what is added to them."""
    at = 0
    while token := _TOKEN.search(text, at):
        at = token.end()
        if token["skip"]:
            continue
        one = _one(text, token.start())
        if one is None:
            continue
        whole, at = _sum(text, one)
        added = re.search(r"[\w)\]]\s*\+\s*$", text[max(0, whole.start - 40) : whole.start])
        yield replace(whole, problem=_TOGETHER) if added else whole


def _one(text: str, start: int, depth: int = 0) -> _Literal | None:
    """The string or template that begins here; None where it has no end."""
    if text[start] != "`":
        token = _TOKEN.match(text, start)
        if token is None or not token["string"]:
            return None
        return _Literal(start, token.end(), _unescaped(token["string"][1:-1]), False)
    parts: list[str] = []
    at, places = start + 1, False
    while part := _PART.match(text, at):
        at = part.end()
        if part[0] == "`":
            return _Literal(start, at, "".join(parts), places)
        if part[0] == "${":
            end = _end_of_expression(text, at, depth)
            if end < 0:
                return None
            parts.append(f"${{{expression_name(text[at:end].strip())}}}")
            at, places = end + 1, True
        else:
            parts.append(_escape(part) if part[0][0] == "\\" else part[0])
    return None


def _escape(part: re.Match[str]) -> str:
    code = part[1] or part[2] or part[3]
    if code and re.fullmatch(r"[0-9A-Fa-f]{1,6}", code) and int(code, 16) <= 0x10FFFF:
        return chr(int(code, 16))
    return _ESCAPED.get(part[4] or "", part[4] or "")


def _unescaped(text: str) -> str:
    return re.sub(r"\\(?:u\{(\w+)\}|u(\w{4})|x(\w{2})|\r?\n|(.))", _escape, text, flags=re.DOTALL)


def _end_of_expression(text: str, at: int, depth: int) -> int:
    """Where the } of a ${ … } stands; -1 where it does not."""
    if depth > _DEEPEST:
        return -1
    open_braces = 0
    while at < len(text):
        sign = text[at]
        if sign in "'\"`":
            inner = _one(text, at, depth + 1)
            at = inner.end if inner else at + 1
            continue
        if sign == "}" and not open_braces:
            return at
        open_braces += (sign == "{") - (sign == "}")
        at += 1
    return -1


def _sum(text: str, one: _Literal) -> tuple[_Literal, int]:
    """The literal with all that is added behind it, and where reading goes on."""
    while True:
        after = _AFTER.match(text, one.end)
        if after is None or after["call"]:
            return one, one.end
        if not after["plus"]:
            trimmed = bool(after[0].strip())
            return (replace(one, text=one.text.strip()), after.end()) if trimmed else (one, one.end)
        at = after.end()
        other = _one(text, at) if at < len(text) and text[at] in "'\"`" else None
        operand = None if other else _OPERAND.match(text, at)
        if other:
            one = replace(
                one, end=other.end, text=one.text + other.text, places=one.places or other.places
            )
        elif operand:
            place = f"${{{expression_name(operand['operand'])}}}"
            one = replace(one, end=operand.end(), text=one.text + place, places=True)
        else:
            return replace(one, problem=_TOGETHER), at


_BETWEEN = re.compile(r"\s*,?\s*(?:(?://[^\n]*|/\*.*?\*/)\s*)*", re.DOTALL)
_JOIN = re.compile(r"\s*,?\s*\]\s*\.join\(\s*(?P<sign>'[^'\n]*'|\"[^\"\n]*\"|`[^`]*`)?\s*\)")


def _joined_lists(text: str, literals: list[_Literal]) -> list[_Literal]:
    """`[ "…", "…" ].join("\\n")` is one text; with other things in the list it is none."""
    out: list[_Literal] = []
    for one in literals:
        out.append(one)
        join = _JOIN.match(text, one.end)
        if not join:
            continue
        run = [out.pop()]
        while out and _BETWEEN.fullmatch(text, out[-1].end, run[0].start):
            run.insert(0, out.pop())
        opened = re.search(r"\[\s*(?:(?://[^\n]*|/\*.*?\*/)\s*)*$", text[: run[0].start][-400:])
        sign = _unescaped(join["sign"][1:-1]) if join["sign"] else ","
        out.append(
            _Literal(
                run[0].start - (len(opened[0]) if opened else 0),
                join.end(),
                sign.join(part.text for part in run),
                any(part.places for part in run),
                next((part.problem for part in run if part.problem), None if opened else _TOGETHER),
            )
        )
    return out
