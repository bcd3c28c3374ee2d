from __future__ import annotations

from urllib.parse import urljoin, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge.service.security.local_path import local_path


@pytest.mark.parametrize("path", ["/", "/runs/a?b=c&d=%2F%2F#x", "/runs/item?id=질문", "/a//b"])
def test_paths_of_this_site(path: str) -> None:
    assert local_path(path) == path


@pytest.mark.parametrize(
    "path",
    ["", "//x", "/\\x", "\\x", "http://x", "x", " /x", "/\n/x", "/\t/x", "/x\x00", "/x y", "/a\\b"],
)
def test_others(path: str) -> None:
    assert local_path(path, "/home") == "/home"


@given(st.text(alphabet=st.sampled_from("/\\:.@?#% \t\n\rahttps"), max_size=12))
def test_whatever_is_given_the_site_stays(text: str) -> None:
    found = urljoin("http://here.example/page", local_path(text))
    assert urlsplit(found).netloc == "here.example"
