"""What is not always loaded: optional parts, and the names of packages that load on first use.

`pip install adjudge` judges, imports, reads and exports. Whatever needs more asks here
first, before anything is spent. docs/dependencies.md says what each package is for.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from importlib.util import find_spec
from typing import Literal, get_args

from adjudge.core.reason import Reason
from adjudge.errors import MissingExtra

Extra = Literal[
    "trust", "web", "parquet", "postgres", "ray", "embedded", "hub", "polars", "improve"
]
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
    "improve": ("gepa", "scipy", "numpy"),
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


def names_on_first_use(package: str, homes: Mapping[str, str]) -> Callable[[str], object]:
    """The `__getattr__` of a package: `homes` has its modules, each with the names it is asked for.

    Type checkers must not see it, or every name would be known to them.
    """
    modules = {name: module for module, names in homes.items() for name in names.split()}

    def __getattr__(name: str) -> object:  # noqa: N807 - as Python calls it
        if name not in modules:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return getattr(import_module(f"{package}.{modules[name]}"), name)

    return __getattr__
