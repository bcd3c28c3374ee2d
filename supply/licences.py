"""`python -m supply.licences`: no package that adjudge needs is under the GPL or the AGPL.

Allowed are licences that put no condition on the program that uses the package, and the MPL, which
asks for changes to its own files alone. Anything else, an unknown one too, is listed by hand with a
reason, or stops the check. The licences are those that the packages declare.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping

from boolean.boolean import AND, OR, Expression
from license_expression import ExpressionError, get_spdx_licensing

from .packages import Package, locked

# fmt: off
ALLOWED = frozenset({
    "0BSD", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "BSL-1.0", "CC0-1.0", "HPND", "ISC",
    "MIT", "MIT-CMU", "MPL-2.0", "PSF-2.0", "Python-2.0", "Unlicense", "Zlib",
})
# fmt: on
# Package → why it may be used although its licence is not among the allowed. The GPL has no place
# here; the LGPL may have, where the package is used as it is and can be replaced by its user.
BY_HAND: Mapping[str, str] = {
    "psycopg": "LGPL-3.0: the optional driver of PostgreSQL, imported as it is",
    "psycopg-binary": "LGPL-3.0: its compiled part, with libpq; the same",
}

_SPDX = get_spdx_licensing()


def allowed(licence: str) -> bool:
    """Whether every part of the SPDX expression is allowed, and of alternatives at least one."""
    try:
        return _allowed(_SPDX.parse(licence, validate=True))
    except ExpressionError:
        return False


def _allowed(expression: Expression | None) -> bool:
    if isinstance(expression, AND):
        return all(_allowed(each) for each in expression.args)
    if isinstance(expression, OR):
        return any(_allowed(each) for each in expression.args)
    return expression is not None and expression.render() in ALLOWED


def refused(packages: Mapping[str, Package]) -> list[str]:
    """A line for each package that may not be used, and for each that is excused in vain."""
    lines = [
        f"{name} {package.version}: {package.licence}"
        for name, package in packages.items()
        if not allowed(package.licence) and name not in BY_HAND
    ]
    idle = [name for name in BY_HAND if name not in packages or allowed(packages[name].licence)]
    return lines + [f"{name}: listed by hand, which it does not need" for name in idle]


def main() -> int:
    packages = locked()
    by_licence: dict[str, list[str]] = {}
    for name, package in packages.items():
        by_licence.setdefault(package.licence, []).append(name)
    for licence, names in sorted(by_licence.items(), key=lambda each: -len(each[1])):
        print(f"{len(names):3}  {licence}: {', '.join(names)}")
    problems = refused(packages)
    print(f"{len(packages)} packages, {len(problems)} not allowed, {len(BY_HAND)} listed by hand")
    print("\n".join(problems), file=sys.stderr)
    return int(bool(problems))


if __name__ == "__main__":
    sys.exit(main())
