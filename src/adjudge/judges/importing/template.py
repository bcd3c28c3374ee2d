"""Text and placeholders → a Jinja2 template that renders to the same text, byte for byte.

Only expressions are used for escapes: a block tag would eat the line break behind it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from .placeholders import Slot

# Braces that would open a tag, also together with the tag that follows them; and \r, since Jinja2
# makes \n of every \r\n and \r that stands in a template. A run is one expression: each costs time.
_SPECIAL = re.compile(r"\{{2,}|\{(?=[%#\r]|\Z)|\r+")
# Beyond that a text is quoted as a whole: less readable, but Jinja2 takes a while for each.
_MOST_EXPRESSIONS = 200


def literal(text: str) -> str:
    """The text as a template that renders to it."""
    if len(_SPECIAL.findall(text)) > _MOST_EXPRESSIONS:
        return f"{{{{ {text!r} }}}}"
    return _SPECIAL.sub(lambda match: f"{{{{ {match[0]!r} }}}}", text)


def template(text: str, slots: Sequence[Slot], names: Mapping[int, str]) -> str:
    """The template; `names` gives each placeholder's input by the offset at which it starts."""
    parts: list[str] = []
    plain, end = "", 0
    for slot in slots:
        plain += text[end : slot.start]
        if slot.name is None:
            plain += slot.text
        else:
            parts += [literal(plain), f"{{{{ {names[slot.start]} }}}}"]
            plain = ""
        end = slot.end
    return "".join([*parts, literal(plain + text[end:])])


def by_criterion(prompts: Mapping[str, str]) -> str:
    """One template that shows, for each criterion asked, the template given for it.

    Asked together, they follow one another. The + keeps the blanks before a tag; the line break
    behind a tag is eaten by trim_blocks.
    """
    out = ["{% for criterion in criteria %}\n"]
    for at, (name, text) in enumerate(prompts.items()):
        word = "elif" if at else "if"
        out += [f'{{%{"+" if at else ""} {word} criterion.name == "{name}" %}}\n', text]
    return "".join([*out, "{%+ endif %}\n{%+ endfor %}"])


def jinja_with_its_blanks(text: str) -> str:
    """A Jinja2 template of the default settings for an environment that trims blocks."""
    text = re.sub(r"\{([%#])(?![-+])", r"{\1+", text)
    return re.sub(r"(?<![-+])([%#])\}", r"+\1}", text).replace("\r", "{{ '\\r' }}")
