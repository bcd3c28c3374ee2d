"""The whole way from a prompt's text to a checked judge file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from adjudge.core.judge import Judge
from adjudge.core.reason import Reason
from adjudge.errors import UsageError
from adjudge.judges.load import load_text
from adjudge.judges.templates import LONGEST

from .findings import ImportFindings
from .inputs import settle
from .jinja_text import for_trimming
from .languages import explanation_language, prompt_language
from .options import Options
from .overall import weigh_criteria
from .prompt_text import FoundPrompt
from .rubric import PromptRubric, find_rubric
from .sections import title_of
from .texts import Taken, take_apart
from .write import by_criterion, judge_text


@dataclass(frozen=True, slots=True)
class ImportedJudge:
    """The text of the judge file, the judge that it loads as, and what was inferred."""

    text: str
    judge: Judge
    findings: ImportFindings
    criteria: dict[str, dict[str, Any]]


def import_prompt(
    source: FoundPrompt | str, options: Options, file: str = "prompt"
) -> ImportedJudge:
    """The judge file for a prompt; `file` is what the file's comment calls its origin.

    Raises UsageError naming the --set remedy for what can neither be inferred nor safely assumed.
    """
    prompt = FoundPrompt(name="", text=source) if isinstance(source, str) else source
    text = prompt.whole
    _refuse_half_characters(text)
    _refuse_what_is_too_long(text)
    findings = ImportFindings(text)
    if prompt.note:
        findings.note("prompt", prompt.note)
    taken = take_apart(text, options, findings, prompt.system_end)
    settle(taken.inputs, taken.text, options, findings)
    rubric = find_rubric(taken, options, findings)
    weights = weigh_criteria(
        rubric.text, rubric.criteria, rubric.sample, taken.inputs, options, findings
    )
    findings.gap = (0, 0)
    language = prompt_language(taken.text, options, findings)
    document = {
        "judge": options.name,
        "version": 1,
        "title": _title(taken, options, file, findings),
        "language": language,
        "explain_in": explanation_language(taken.text, language, options, findings),
        "inputs": taken.inputs.document(),
        "criteria": rubric.criteria,
    }
    document |= weights | _rest(rubric, options)
    document |= {"absent": list(taken.absent)} if taken.absent else {}
    head = f"Imported from {file} by `adjudge judges import`."
    written = judge_text(document, _texts(taken, rubric, options), head)
    judge = load_text(written, f"{options.name}.yaml")
    return ImportedJudge(written, judge, findings, rubric.criteria)


def _refuse_what_is_too_long(text: str) -> None:
    if len(text) > LONGEST:
        raise UsageError(Reason("import.too_long", count=len(text), most=LONGEST))


def _refuse_half_characters(text: str) -> None:
    """Escapes such as \\ud83d in Python and JSON files may stand for half of a character."""
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise UsageError(Reason("import.half_character", at=error.start)) from None


def _title(taken: Taken, options: Options, file: str, findings: ImportFindings) -> str:
    setting, heading = options.get("title"), title_of(taken.text)
    if setting:
        findings.set("title", setting)
    elif heading:
        findings.read("title", heading, len(taken.text) - len(taken.text.lstrip()))
    return setting or heading or f"Imported from {file}"


def _rest(rubric: PromptRubric, options: Options) -> dict[str, Any]:
    rest: dict[str, Any] = {"feedback": rubric.feedback} if rubric.feedback else {}
    rest |= {"ask": "each"} if rubric.separate else {}
    rest["reply"] = rubric.reply
    return rest if options.harden else rest | {"verbatim": True}


def _texts(taken: Taken, rubric: PromptRubric, options: Options) -> dict[str, str]:
    if taken.sections:
        prompts = dict(zip(rubric.criteria, taken.prompts, strict=True))
        return {"prompt": by_criterion(prompts)}
    texts = {"system": taken.system} if taken.system else {}
    texts["prompt"] = taken.prompt
    if taken.jinja and options.harden:
        return {key: for_trimming(text) for key, text in texts.items()}
    return texts
