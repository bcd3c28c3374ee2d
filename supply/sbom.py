"""`python -m supply.sbom [FILE]`: a bill of materials as CycloneDX JSON, of what users install.

It lists the packages of requirements.lock for this platform and Python, without build tools; the
same lock gives the same file, byte by byte.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from uuid import NAMESPACE_URL, uuid5

from cyclonedx.contrib.license.factories import LicenseFactory
from cyclonedx.model.bom import Bom
from cyclonedx.model.component import Component, ComponentType
from cyclonedx.output.json import JsonV1Dot6
from packageurl import PackageURL
from packaging.utils import canonicalize_name

from .packages import EXTRAS, ROOT, Package, at_run_time, locked

OUT = ROOT / "build" / "sbom.json"
_VERSION = re.compile(r'^__version__ = "([^"]+)"', re.MULTILINE)


def bill() -> str:
    """The bill as JSON, keys and components in order."""
    packages = at_run_time(locked())
    root = _ours()
    bom = Bom()
    bom.metadata.component = root
    components = {name: _component(package) for name, package in packages.items()}
    for name, component in components.items():
        bom.components.add(component)
        needs = {canonicalize_name(each.name) for each in packages[name].needs(EXTRAS)}
        bom.register_dependency(component, [components[each] for each in needs & set(components)])
    bom.register_dependency(root, components.values())
    written: str = JsonV1Dot6(bom).output_as_string(indent=2)
    return _without_chance(written, packages)


def _ours() -> Component:
    version = _VERSION.search((ROOT / "src/adjudge/__init__.py").read_text("utf-8"))
    if version is None:
        raise SystemExit("src/adjudge/__init__.py names no __version__")
    return Component(
        name="adjudge",
        version=version[1],
        type=ComponentType.APPLICATION,
        bom_ref="adjudge",
        licenses=[LicenseFactory().make_from_string("Apache-2.0")],
    )


def _component(package: Package) -> Component:
    url = PackageURL("pypi", name=package.name, version=package.version)
    return Component(
        name=package.name,
        version=package.version,
        type=ComponentType.LIBRARY,
        purl=url,
        bom_ref=str(url),
        licenses=[LicenseFactory().make_from_string(package.licence)],
    )


def _without_chance(written: str, packages: dict[str, Package]) -> str:
    """The time is left out, and the serial number is made of what the bill lists."""
    listed = ",".join(f"{name}=={package.version}" for name, package in packages.items())
    told = json.loads(written)
    told["metadata"].pop("timestamp")
    told["serialNumber"] = f"urn:uuid:{uuid5(NAMESPACE_URL, f'adjudge:{listed}')}"
    return json.dumps(told, indent=2, sort_keys=True) + "\n"


def main() -> int:
    out = Path(sys.argv[1]) if len(sys.argv) > 1 else OUT
    out.parent.mkdir(parents=True, exist_ok=True)
    written = bill()
    out.write_text(written, "utf-8")
    print(f"{out}: {len(json.loads(written)['components'])} packages")
    return 0


if __name__ == "__main__":
    sys.exit(main())
