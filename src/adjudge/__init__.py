"""Grade text with a language model as the judge."""

from __future__ import annotations

__version__ = "0.1.0"
