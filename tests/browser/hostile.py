"""Texts that try to be more than texts."""

from __future__ import annotations

_FIRE = "window.hit=(window.hit||0)+1;alert(1)"

TEXTS: dict[str, str] = {
    "script": f"<script>{_FIRE}</script>",
    "closing": f"</script></textarea></title></pre><script>{_FIRE}</script>",
    "image": f'"><img src=x onerror="{_FIRE}">',
    "single": f"' onmouseover='{_FIRE}' autofocus onfocus='{_FIRE}",
    "svg": f'<svg onload="{_FIRE}"><style>*{{display:none}}</style></svg>',
    "link": f"javascript:{_FIRE}",
    "template": "{{ 7 * 7 }} {% raw %} ${7*7} %(x)s %s {0}",
    "entities": "&lt;b&gt; &amp;amp; &#x202e; <!-- --> ]]>",
    "bidi": "left \u202edlrow\u202c right \u2066\u2067\u2069 \u200f\u200e end",
    "emoji": "👩‍👩‍👧‍👦 🏳️‍🌈 👍🏽 🇰🇷🇻🇳",
    "jamo": "\u1112\u1161\u11ab\u1100\u1173\u11af 한글 ㅎㅏㄴㄱㅡㄹ",
    "combining": "Z" + "\u0351\u0327\u0489" * 60 + "algo",
    "control": "tab\there, bell \x07, null-like \u2400, zero\u200bwidth\ufeff, line\u2028sep",
    "path": "../../etc/passwd?x=1&y=2#z;%2e%2e%2f",
    "long": "답변 câu trả lời word " * 50_000,  # more than a megabyte
    "unbroken": "W" * 5_000,
}


# Short, so that items can be divided by them.
SHARED = ('<svg onload="window.hit=1">', "<script>window.hit=1</script>")


def hostile_id(name: str) -> str:
    """The id of the item that is this text: the text itself where that is not too long."""
    return TEXTS[name] if len(TEXTS[name]) < 200 else name
