from __future__ import annotations

import itertools

import pytest

from adjudge.judges.agent_trace import quotation_spans


@pytest.mark.parametrize(
    ("text", "quoted"),
    [
        ("plain", []),
        ('a "b c" d', ['"b c"']),
        ('a ("b") d', ['"b"']),
        ('{"k":"v w"}', ['"k"', '"v w"']),
        ('"{\\"a\\": \\"b c\\"}"', ['"a\\"', '"b c\\"']),
        ('5" and 6" tall', []),
        ("don't and can't", []),
        ("say 'b c' now", ["'b c'"]),
        ("say 'b\nc' now", []),
        ('over "two\nlines" now', ['"two\nlines"']),
        ('not "over\n\na blank" line', []),
        ("a “b\n\nc” d", ["“b\n\nc”"]),
        ("a “b 「c」 d", ["「c」"]),
        ("『a』 «b»", ["『a』", "«b»"]),
        ("a `b` c", ["`b`"]),
        ("> a\nb", ["> a"]),
        ("```\na\n```\nb", ["```\na\n```"]),
        ("````\n```\n````\nb", ["````\n```\n````"]),
        ("```\nnever closed", []),
    ],
)
def test_spans(text: str, quoted: list[str]) -> None:
    assert [text[start:end] for start, end in quotation_spans(text)] == quoted


def test_spans_rise_and_do_not_overlap() -> None:
    text = '"a "b" “c "d" e” `f "g"` > h\n> "i"\n```\n"j"\n```\n'
    found = quotation_spans(text)
    assert all(one[1] <= other[0] for one, other in itertools.pairwise(found))
