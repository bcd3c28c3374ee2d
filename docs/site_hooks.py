"""What the site has beside docs/: pages from the root of the repository, under plain names.

Links to them lead there; links to source files, which the site does not have, become plain text.
"""

from __future__ import annotations

import re
from pathlib import Path, PurePosixPath
from typing import Any

from mkdocs.structure.files import File, Files

ROOT = Path(__file__).parents[1]
PAGES = {
    "ARCHITECTURE.md": "architecture.md",
    "CHANGELOG.md": "changelog.md",
    "CONTRIBUTING.md": "contributing.md",
    "SECURITY.md": "security.md",
    "bench/README.md": "bench.md",
}
_FROM_ELSEWHERE = "https://unpkg.com/iframe-worker/shim"
_LINK = re.compile(r"(!?)\[([^\]]*)\]\(([^)#:\s]+)(#[^)\s]*)?\)")


def on_files(files: Files, config: Any) -> Files:
    for source, name in PAGES.items():
        text = (ROOT / source).read_text("utf-8")
        files.append(File.generated(config, name, content=_linked(text, PurePosixPath(source))))
    return files


def on_page_markdown(markdown: str, page: Any, config: Any, files: Files) -> str:  # noqa: ARG001
    name = page.file.src_uri
    if name in PAGES.values():  # their links were put right above
        return markdown
    return _linked(markdown, PurePosixPath("docs") / name)


def _linked(text: str, source: PurePosixPath) -> str:
    """The text of a file of the repository with links that hold on the site."""
    own = PAGES.get(str(source)) or str(source.relative_to("docs"))

    def replaced(match: re.Match[str]) -> str:
        mark, words, target, anchor = match[1], match[2], match[3], match[4] or ""
        path = _resolved(source.parent, target)
        on_site = PAGES.get(path) or (
            path.removeprefix("docs/") if path.startswith("docs/") else ""
        )
        is_shown = (
            on_site
            and not on_site.startswith("design/")
            and (on_site in PAGES.values() or (ROOT / "docs" / on_site).is_file())
        )
        if not is_shown:
            return words
        up = "../" * own.count("/")
        return f"{mark}[{words}]({up}{on_site}{anchor})"

    return _LINK.sub(replaced, text)


def _resolved(folder: PurePosixPath, target: str) -> str:
    parts: list[str] = []
    for part in (folder / target).parts:
        if part == "..":
            parts = parts[:-1]
        elif part != ".":
            parts.append(part)
    return "/".join(parts)


def on_post_page(output: str, page: Any, config: Any) -> str:  # noqa: ARG001
    """The theme would load this script from the network; ours is in docs/assets."""
    up = "../" * page.url.count("/")
    return output.replace(_FROM_ELSEWHERE, f"{up}assets/worker-in-frame.js")


def on_post_template(output: str, template_name: str, config: Any) -> str:  # noqa: ARG001
    return output.replace(_FROM_ELSEWHERE, "assets/worker-in-frame.js")
