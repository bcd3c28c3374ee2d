"""What was found → the text of a judge file, with its prompts kept to the letter.

A text becomes a Jinja2 template that renders to the same text, byte for byte.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import yaml

from .placeholders import Slot

# Braces that would open a tag, also together with the tag that follows them; and \r, since Jinja2
# makes \n of every \r\n and \r that stands in a template. A run is one expression: each costs time.
_SPECIAL = re.compile(r"\{{2,}|\{(?=[%#\r]|\Z)|\r+")
# Beyond that a text is quoted as a whole: less readable, but Jinja2 takes a while for each.
_MOST_EXPRESSIONS = 200
# In a | block these would be lost, taken for line breaks or refused.
_NOT_IN_A_BLOCK = re.compile(
    r"[^\n\t\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd"
    r"\U00010000-\U0010ffff]"
)


def literal(text: str) -> str:
    """The text as a template that renders to it."""
    if len(_SPECIAL.findall(text)) > _MOST_EXPRESSIONS:
        return f"{{{{ {text!r} }}}}"
    return _SPECIAL.sub(lambda match: f"{{{{ {match[0]!r} }}}}", text)


def template(text: str, slots: Sequence[Slot], names: Mapping[int, str]) -> str:
    """The template; `names` gives each placeholder's input by the offset at which it starts."""
    parts: list[str] = []
    plain: list[str] = []
    end = 0
    for slot in slots:
        plain.append(text[end : slot.start])
        if slot.name is None:
            plain.append(slot.text)
        else:
            parts += [literal("".join(plain)), f"{{{{ {names[slot.start]} }}}}"]
            plain = []
        end = slot.end
    return "".join([*parts, literal("".join(plain) + text[end:])])


def by_criterion(prompts: Mapping[str, str]) -> str:
    """One template that shows, for each criterion asked, the template given for it.

    Asked together, they follow one another. The + keeps blanks and line breaks around a tag.
    """
    out = ["{%+ for criterion in criteria +%}"]
    for at, (name, text) in enumerate(prompts.items()):
        out += [f'{{%+ {"elif" if at else "if"} criterion.name == "{name}" +%}}', text]
    return "".join([*out, "{%+ endif +%}{%+ endfor +%}"])


def judge_text(document: Mapping[str, Any], texts: Mapping[str, str], head: str) -> str:
    """YAML: a comment, the parts of `document`, then `texts` as blocks."""
    comment = "".join(f"# {line}\n" for line in head.splitlines())
    body = yaml.safe_dump(
        dict(document), allow_unicode=True, sort_keys=False, width=100, default_flow_style=False
    )
    blocks = "".join(f"{key}: {_block(text)}\n" for key, text in texts.items())
    return f"{comment}{body}{blocks}"


def _block(text: str) -> str:
    """The text as a | block, or in quotes where a block could not hold it."""
    body = text.rstrip("\n")
    if not body.strip() or _NOT_IN_A_BLOCK.search(text):
        return _quoted(text)
    ends = len(text) - len(body)
    # A first line that is blank or indented would be taken for the indentation.
    first = "2" if body[0] in " \n" else ""
    keep = "-" if ends == 0 else "" if ends == 1 else "+"
    rows = [f"  {row}" if row else "" for row in body.split("\n")]
    return f"|{first}{keep}\n" + "\n".join(rows) + "\n" * max(0, ends - 1)


def _quoted(text: str) -> str:
    return yaml.safe_dump(
        text, allow_unicode=True, default_style='"', width=float("inf")
    ).removesuffix("\n")
