"""An existing judge prompt → a judge file that keeps its text to the letter.

source (file → text) → texts (placeholders, sections) → inputs, rubric, languages → write.
"""

from .findings import ImportQuestion
from .folder import FoundJudge, find_judges
from .importer import ImportedJudge, import_prompt
from .options import KEYS, Options, parse_settings
from .prompt_text import FoundPrompt
from .source import prompts_of, read_source, read_text

__all__ = [
    "KEYS",
    "FoundJudge",
    "FoundPrompt",
    "ImportQuestion",
    "ImportedJudge",
    "Options",
    "find_judges",
    "import_prompt",
    "parse_settings",
    "prompts_of",
    "read_source",
    "read_text",
]
