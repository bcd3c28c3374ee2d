from __future__ import annotations

import io

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from adjudge.core.score import Outcome, Score
from adjudge.reports.files import markdown


def page(*rows):
    out = io.BytesIO()
    markdown.write(lambda: iter(rows), out)
    return out.getvalue().decode()


def body(*rows):
    """The lines of the table below its head."""
    lines = page(*rows).splitlines()
    return lines[lines.index(next(line for line in lines if line.startswith("| ---"))) + 1 :]


def test_the_table_shows_values_rules_and_failures(make_row):
    assert page(make_row(), make_row(item="43")) == (
        "# Verdicts\n"
        "\n"
        "run abc123 · judge chatbot · model openai/gpt-4o-mini · 2 out\\_of\\_range\n"
        "\n"
        "| item | outcome | accuracy | tone | explanation |\n"
        "| --- | --- | --- | --- | --- |\n"
        + "".join(
            f"| {item} | out\\_of\\_range | 5.0 (serious-error, was 7.5) | out\\_of\\_range "
            "| accuracy: Sai số liệu. (wrong\\_language) tone: 12 lies outside 0 to 10 |\n"
            for item in (42, 43)
        )
    )


def test_what_differs_between_rows_is_a_column(make_row):
    text = page(make_row(repeat=0), make_row(repeat=1, model="embedded"))
    assert "| item | model | repeat | outcome |" in text
    assert "judge chatbot · 2 out" in text


def test_labels_and_truths_are_shown(make_row):
    label = Score(outcome=Outcome.SCORED, value=4, label="excellent", explanation="잘 썼다")
    (line,) = body(make_row(scores={"rating": label}))
    assert "| 4 excellent | 잘 썼다 |" in line
    truth = Score(outcome=Outcome.SCORED, value=False, raw=True, rule="cap")
    (line,) = body(make_row(scores={"polite": truth}))
    assert "| no (cap, was yes) |  |" in line


def test_rows_of_other_judges_leave_cells_empty(make_row):
    score = Score(outcome=Outcome.SCORED, value=1)
    first, second = body(make_row(scores={"a": score}), make_row(scores={"b": score}))
    assert first.endswith("| 1 |  |  |")
    assert second.endswith("|  | 1 |  |")


def test_a_long_explanation_is_shortened(make_row):
    score = Score(outcome=Outcome.SCORED, value=1, explanation="wort " * 1000)
    (line,) = body(make_row(scores={"a": score}))
    assert len(line) < 300
    assert line.endswith("wort… |")


def test_a_run_without_rows_says_so():
    assert "no rows" in page()


hostile = st.text(
    st.one_of(
        st.sampled_from("|\\<>&`*_[]()!~$#\n\r\u2028"),
        st.characters(codec="utf-8", exclude_characters="\0"),
    ),
    max_size=30,
)


@pytest.mark.parametrize(
    "text",
    [
        "<script>alert(1)</script>",
        "![x](https://example.org/pixel.png)",
        "[click](javascript:alert(1))",
        "a | b\n| c | d |\n\n# Title",
        "\\| \\\\| `|`",
        "&lt;b&gt; <https://example.org>",
        "<!-- --> ~~x~~ **b**",
    ],
)
def test_hostile_text_stays_text(make_row, text):
    check_stays_text(make_row, text)


@given(text=hostile)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])  # it keeps no state
def test_any_text_stays_text(make_row, text):
    check_stays_text(make_row, text)


def check_stays_text(make, text):
    reader = MarkdownIt("gfm-like", {"linkify": False})
    score = Score(outcome=Outcome.SCORED, value=1, explanation=text)
    tokens = reader.parse(page(make(item=text, scores={"a": score})))
    cells = [token for token in tokens if token.type == "inline"]
    # Title, summary, head of four, one row of four: nothing more, nothing less.
    assert len(cells) == 10
    wanted = " ".join(text.split())
    for cell in (cells[6], cells[9]):
        kinds = {child.type for child in cell.children}
        assert kinds <= {"text", "text_special"}
        assert "".join(child.content for child in cell.children) == wanted
