"""Models that people bring from a model hub: `hf:ORG/REPO[/FILE][@REVISION]`.

Fetched with the `huggingface_hub` package, and only when asked for with `adjudge models pull`. What
has arrived of an interrupted pull is used by the next. A file counts once it has the SHA-256 that
the hub states; that and the commit are written beside it.
"""

from __future__ import annotations

import json
import os
import re
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from adjudge.core.reason import Reason, reason_of
from adjudge.errors import ModelUnavailable, UsageError
from adjudge.extras import require

from . import weights

PREFIX = "hf:"
_FORM = re.compile(
    r"hf:(?P<repo>[\w.-]+/[\w.-]+)(?:/(?P<file>[^@]+\.gguf))?(?:@(?P<revision>[\w./-]+))?"
)
# What most people mean by a model of which there are many files: a good size for its quality.
_USUAL = "q4_k_m"


@dataclass(frozen=True, slots=True)
class HubFile:
    """A file that was pulled: from where, at which commit, and its hash."""

    repo: str
    file: str
    revision: str
    sha256: str
    size: int


def _parse(name: str) -> tuple[str, str | None, str | None]:
    """Repository, file and revision; the last two need not be named."""
    match = _FORM.fullmatch(name)
    if match is None:
        raise UsageError(Reason("hub.form", name=name))
    return match["repo"], match["file"], match["revision"]


def directory() -> Path:
    """Below it a folder per organisation and repository."""
    return weights.directory() / "hub"


def find(name: str) -> Path | None:
    """The file that was pulled for a name; UsageError where several could be meant."""
    repo, file, revision = _parse(name)
    fits = [
        path
        for path, kept in pulled_files()
        if kept.repo == repo
        and file in (None, kept.file)
        and kept.revision.startswith(revision or "")
    ]
    if len(fits) > 1:
        names = tuple(path.name for path in fits)
        raise UsageError(Reason("hub.several_here", name=name, files=names))
    return fits[0] if fits else None


def pulled_files() -> list[tuple[Path, HubFile]]:
    """All that was pulled and is still whole, by place."""
    files = []
    for note in sorted(directory().glob("*/*/**/*.gguf.json")):
        path = note.with_suffix("")
        try:
            kept = HubFile(**json.loads(note.read_text("utf-8")))
            if path.stat().st_size == kept.size:
                files.append((path, kept))
        except (OSError, ValueError, TypeError):
            continue  # removed, or of another version
    return files


def pull(name: str, report: weights.Report) -> Path:
    """Fetch a file unless it is there already, and return it. ModelUnavailable when that fails."""
    (repo, wanted, revision), hub = _parse(name), _library()
    place = directory() / repo
    endpoint = os.environ.get("HF_ENDPOINT") or None
    try:
        api = hub.HfApi(endpoint=endpoint)
        info = api.model_info(repo, revision=revision, files_metadata=True)
        file = _chosen(name, wanted, info)
        kept = HubFile(repo, file.rfilename, info.sha, file.lfs.sha256, file.size)
        path = place / kept.file
        if (path, kept) in pulled_files():
            return path
        path.parent.mkdir(parents=True, exist_ok=True)
        weights.check_space(kept.size, path.parent)
        _download(hub, kept, endpoint, report)
    except (UsageError, ModelUnavailable):
        raise
    except weights.DownloadFailed as error:
        raise ModelUnavailable(Reason("hub.failed", name=name, why=reason_of(error))) from error
    except Exception as error:  # those of its own, and those of the client that it happens to use
        raise ModelUnavailable(Reason("hub.failed", name=name, why=_reason(error))) from error
    note = path.with_name(f"{path.name}.json")
    note.write_text(json.dumps(asdict(kept), indent=2), "utf-8")
    report(kept.size, kept.size, "ready")
    return path


def _library() -> Any:
    # It counts its users otherwise; read when it is imported.
    os.environ.setdefault("HF_HUB_DISABLE_TELEMETRY", "1")
    require("hub", "adjudge models pull hf:…")
    import huggingface_hub  # noqa: PLC0415 - optional
    import huggingface_hub.file_download  # noqa: PLC0415

    return huggingface_hub


def _chosen(name: str, file: str | None, info: Any) -> Any:
    """The file that was named, the only one, or the only one of the usual size."""
    files = [entry for entry in info.siblings if entry.rfilename.endswith(".gguf") and entry.lfs]
    fits = [entry for entry in files if file in (None, entry.rfilename)]
    if len(fits) > 1:
        fits = [entry for entry in fits if _USUAL in entry.rfilename.lower()]
    if len(fits) == 1:
        return fits[0]
    if not files:
        raise UsageError(Reason("hub.no_gguf", name=name))
    listed = "".join(f"\n  {e.rfilename} ({weights.megabytes(e.size)})" for e in files)
    raise UsageError(Reason("hub.several", name=name, files=listed))


def _download(hub: Any, kept: HubFile, endpoint: str | None, report: weights.Report) -> None:
    """Continues where an earlier one stopped; `hf_hub_download` would start again in each
    process."""
    path = directory() / kept.repo / kept.file
    partial = path.with_name(f"{path.name}.{kept.sha256[:12]}.partial")
    with partial.open("ab") as file:
        if file.tell() < kept.size:
            hub.file_download.http_get(
                hub.hf_hub_url(kept.repo, kept.file, revision=kept.revision, endpoint=endpoint),
                file,
                resume_size=file.tell(),
                headers=hub.utils.build_hf_headers(),
                expected_size=kept.size,
                tqdm_class=_bar(report, kept),
            )
    if weights.sha256_of(partial) != kept.sha256:
        partial.unlink()
        raise ModelUnavailable(Reason("hub.damaged", file=kept.file))
    partial.replace(path)


def _bar(report: weights.Report, kept: HubFile) -> Any:
    """The hub's own progress bar, silent, with a report in its place."""
    from tqdm.auto import tqdm  # type: ignore[import-untyped] # noqa: PLC0415 - the hub's

    class Bar(tqdm):  # type: ignore[misc] # it has no types
        def __init__(self, *args: Any, **options: Any) -> None:
            self._got = int(options.get("initial") or 0)
            super().__init__(*args, **{**options, "disable": True})

        def update(self, n: float | None = 1) -> bool | None:
            self._got += int(n or 0)
            report(min(self._got, kept.size), kept.size, kept.file)
            return None

    return Bar


def _reason(error: Exception) -> str:
    """Its first line, without addresses: they may carry a key."""
    line = (str(error).strip() or type(error).__name__).splitlines()[0]
    return re.sub(r"[a-z][a-z0-9+.-]*://\S+", "…", line)
