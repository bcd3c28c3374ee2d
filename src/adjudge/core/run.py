"""A run: what was asked of which data, named by its content."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace

# What is said about a run and decides nothing in it.
_SAID = ("data", "tags", "name", "unpriced")


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """Everything that decides what a run asks. Equal manifests are the same run and share an id.

    `judges` maps names to fingerprints. `settings` holds what else shapes the replies: limit,
    repeat, temperature, seed, mapping. `salt` makes a run distinct on purpose (`--fresh`). `name`
    is what people call it, `unpriced` are the models whose price is not known.
    """

    data: str
    data_hash: str
    judges: Mapping[str, str]
    models: tuple[str, ...]
    settings: Mapping[str, object] = field(default_factory=dict)
    tags: Mapping[str, str] = field(default_factory=dict)
    salt: str = ""
    name: str = ""
    unpriced: tuple[str, ...] = ()

    @property
    def id(self) -> str:
        """Twelve hex digits over the content; what people call things does not count."""
        shape = asdict(self)
        for said in _SAID:
            del shape[said]
        text = json.dumps(shape, sort_keys=True, ensure_ascii=False)
        return hashlib.sha256(text.encode()).hexdigest()[:12]

    def after(self, earlier: Manifest) -> Manifest:
        """Of a run that is continued: it keeps the name and the tags that it has, unless new ones
        are given."""
        tags = {**earlier.tags, **self.tags}
        return replace(self, name=self.name or earlier.name, tags=tags)
