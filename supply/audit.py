"""`python -m supply.audit`: known holes in the packages of requirements.lock, by pip-audit.

Its data come from the network. Where they cannot be reached this says so and exits with 0: nothing
was found out, and nothing is claimed. It exits with 1 only for a hole that is known.
"""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

from .packages import LOCK

SERVICES = ("pypi", "osv")
SECONDS = 300


def main() -> int:
    for service in SERVICES:
        told = _asked(service)
        if told is None:
            continue
        checked = [each for each in told["dependencies"] if "skip_reason" not in each]
        if not checked:  # pip-audit says “no known vulnerabilities” then, having looked at none
            continue
        return _report(service, checked, len(told["dependencies"]))
    print(f"audit: not done. The data of {' and '.join(SERVICES)} cannot be reached from here.")
    return 0


def _asked(service: str) -> dict[str, Any] | None:
    """What pip-audit prints; None where it ends without an answer."""
    command = [sys.executable, "-m", "pip_audit", "-r", str(LOCK), "--require-hashes"]
    command += ["--disable-pip", "--timeout", "10", "-s", service, "-f", "json"]
    try:
        ended = subprocess.run(
            command, capture_output=True, text=True, timeout=SECONDS, check=False
        )
        told: dict[str, Any] = json.loads(ended.stdout)
    except (subprocess.TimeoutExpired, json.JSONDecodeError):
        return None
    return told


def _report(service: str, checked: list[dict[str, Any]], count: int) -> int:
    holes = [(each, hole) for each in checked for hole in each["vulns"]]
    for each, hole in holes:
        fixed = ", ".join(hole["fix_versions"]) or "none yet"
        print(f"{each['name']} {each['version']}: {hole['id']}, fixed in: {fixed}")
    print(f"audit: {len(checked)} of {count} packages looked up at {service}, {len(holes)} holes")
    return int(bool(holes))


if __name__ == "__main__":
    sys.exit(main())
