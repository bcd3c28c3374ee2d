"""The optional parts of adjudge: what each needs, and what to say where that is not installed.

`pip install adjudge` judges, imports, reads and exports. Whatever needs more asks here
first, before anything is spent. docs/dependencies.md says what each package is for.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib.util import find_spec
from typing import Literal, get_args

from adjudge.core.reason import Reason
from adjudge.errors import MissingExtra

Extra = Literal["trust", "web", "parquet", "postgres", "ray", "embedded", "hub", "polars"]
EXTRAS: tuple[Extra, ...] = get_args(Extra)

# The modules that are looked for, the most telling one first.
MODULES: Mapping[Extra, tuple[str, ...]] = {
    "trust": ("scipy", "numpy"),
    "web": ("fastapi", "uvicorn", "multipart", "prometheus_client", "matplotlib", "scipy", "numpy"),
    "parquet": ("pyarrow", "numpy"),
    "postgres": ("psycopg",),
    "ray": ("ray", "pyarrow", "numpy"),
    "embedded": ("xllamacpp", "numpy"),
    "hub": ("huggingface_hub",),
    "polars": ("polars",),
}


def missing(extra: Extra) -> str | None:
    """The first module of the extra that is not installed; None where all are."""
    return next((name for name in MODULES[extra] if find_spec(name) is None), None)


def pip_command(extra: Extra) -> str:
    return f"pip install 'adjudge[{extra}]'"


def require(extra: Extra, what: str) -> None:
    """MissingExtra unless it is installed. `what` needs it: a command, an option or a call, as the
    user writes it."""
    if module := missing(extra):
        command = pip_command(extra)
        raise MissingExtra(
            Reason("extra.missing", what=what, module=module, extra=extra, command=command)
        )
