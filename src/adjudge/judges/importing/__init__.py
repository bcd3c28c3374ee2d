"""An existing judge prompt → a judge file that keeps its text to the letter.

source (file → text) → texts (placeholders, sections) → inputs, rubric, languages → write.
"""

from .importer import Imported, import_prompt
from .options import KEYS, Options, parse_settings
from .source import Source, read_source

__all__ = [
    "KEYS",
    "Imported",
    "Options",
    "Source",
    "import_prompt",
    "parse_settings",
    "read_source",
]
