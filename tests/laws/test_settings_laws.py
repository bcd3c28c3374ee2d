"""What holds for every value that a user may write down."""

from __future__ import annotations

import json
import tomllib

from hypothesis import example, given
from hypothesis import strategies as st

from adjudge.settings.secrets import has_password, without_secrets
from adjudge.settings.toml_file import key_lines

SIGNS = st.characters(codec="utf-8", exclude_categories=("Cc", "Cs", "Z"), exclude_characters="@/")
SECRETS = st.text(SIGNS, min_size=1, max_size=20).map(lambda text: f"«{text}»")
NAMES = st.from_regex(r"[A-Za-z0-9_-]{1,8}", fullmatch=True)
VALUES = st.one_of(
    st.booleans(),
    st.integers(-(10**9), 10**9),
    st.text(st.characters(codec="utf-8", exclude_categories=("Cc", "Cs"))),
)


@given(user=st.text(SIGNS, max_size=8), secret=SECRETS)
def test_no_password_of_a_url_is_shown(user: str, secret: str) -> None:
    url = f"https://{user}:{secret}@host/v1"
    assert has_password(url)
    assert without_secrets(url) == "https://…@host/v1"
    assert without_secrets(f"https://host/v1?key={secret}") == "https://host/v1?…"


@given(
    tables=st.dictionaries(NAMES, st.dictionaries(NAMES, VALUES, max_size=4), max_size=4),
    blank=st.integers(0, 3),
)
@example(tables={"a": {"b": "''' # \" [", "c": '"""', "d": ""}}, blank=1)
def test_every_key_has_its_line(tables: dict[str, dict[str, object]], blank: int) -> None:
    lines: list[str] = []
    places = {}
    for table, values in tables.items():
        lines += [""] * blank + [f"[{table}]"]
        places[table,] = len(lines)
        for name, value in values.items():
            lines.append(f"{name} = {json.dumps(value, ensure_ascii=False)}")
            places[table, name] = len(lines)
    text = "\n".join(lines)
    assert tomllib.loads(text) == tables
    assert key_lines(text) == places
