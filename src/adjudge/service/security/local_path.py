"""Where a redirect may lead."""

from __future__ import annotations

import re

# No control characters and no backslash: browsers drop or turn them, and `/\host` leads elsewhere.
_PATH = re.compile(r"/(?![/\\])[^\x00-\x20\x7f\\]*")


def local_path(given: str, otherwise: str = "/") -> str:
    """`given` where it is a path of this site, else `otherwise`."""
    return given if _PATH.fullmatch(given) else otherwise
