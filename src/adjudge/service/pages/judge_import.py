"""A prompt that exists becomes a judge: what was read from it is shown beside the judge's file, and
what it does not tell is asked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from fastapi import APIRouter
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response

from adjudge.core.reason import Reason, reason_of
from adjudge.errors import DefinitionError, UsageError
from adjudge.judges.importing import KEYS, ImportQuestion, Options, import_prompt, read_text
from adjudge.judges.importing.findings import ImportFinding
from adjudge.reading import detect_language
from adjudge.service.security.access import JUDGE
from adjudge.strings import OptionNames, Strings

from .judge_edit import SET, EditResult, JudgeDraft, editor_page
from .judge_view import LONGEST_PASTED, unix_newlines
from .rendering import ProblemLine, page, problem_lines, strings_of

router = APIRouter(include_in_schema=False, dependencies=[JUDGE])
_PICK = "pick"  # asked where a text holds several prompts


@router.get("/judges/import")
def import_form(request: Request) -> Response:
    return _import_page(request, {})


@router.post("/judges/import")
async def import_pasted(request: Request) -> Response:
    """The judge that a prompt makes, with what was found in it; or what it does not tell, asked."""
    async with request.form(max_part_size=LONGEST_PASTED) as form:
        fields = {name: text for name, text in form.items() if isinstance(text, str)}
    return await run_in_threadpool(_imported, request, fields)


def _imported(request: Request, fields: Mapping[str, str]) -> Response:
    settings = {
        name.removeprefix(SET): text.strip()
        for name, text in fields.items()
        if name.startswith(SET) and name.removeprefix(SET) in {*KEYS, _PICK} and text.strip()
    }
    name = fields.get("name", "").strip() or "imported"
    prompt, say = unix_newlines(fields.get("prompt", "")), strings_of(request)
    try:
        source = read_text(prompt, say("judges.import_prompt"), settings.get(_PICK))
        options = Options(
            name=name,
            detect=detect_language,
            settings=source.settings | settings,
            harden=bool(fields.get("harden")),
        )
        made = import_prompt(source, options)
    except ImportQuestion as question:
        return _import_page(request, fields, settings, question)
    except (UsageError, DefinitionError) as error:
        problem = problem_lines(say, reason_of(error), options=SettingFields(say))
        return _import_page(request, fields, settings, problem=problem)
    findings = [_in_words(finding, say) for finding in made.findings.all]
    return editor_page(request, JudgeDraft(text=made.text), EditResult(findings=findings))


def _in_words(finding: ImportFinding, say: Strings) -> ImportFinding:
    def words(said: str | Reason) -> str:
        return say.reason(said, SettingFields(say)) if isinstance(said, Reason) else said

    return replace(finding, value=words(finding.value), doubt=words(finding.doubt))


class SettingFields(OptionNames):
    """What the command line asks as `--set KEY=…` or `--pick NAME`, by the title of its field."""

    def __init__(self, say: Strings) -> None:
        self._say = say

    def __getitem__(self, name: str) -> str:
        if name == "set":
            return ""  # its value says which field
        option, _, rest = name.partition(" ")
        key, _, example = rest.partition("=") if option == "set" else (option, "", "")
        title = self._say(f"judges.key.{key}")
        return f"“{title}: {example}”" if example.strip("…NAME,") else f"“{title}”"

    def value(self, name: str, value: object) -> object:
        return self[f"set {value}"] if name == "set" else value


def _import_page(
    request: Request,
    fields: Mapping[str, str],
    settings: Mapping[str, str] | None = None,
    question: ImportQuestion | None = None,
    problem: Sequence[ProblemLine] = (),
) -> Response:
    say = strings_of(request)
    return page(
        request,
        "judge_import",
        422 if problem else 200,
        fields=fields,
        settings=settings or {},
        question=question and problem_lines(say, reason_of(question), options=SettingFields(say)),
        asked=question.key if question else "",
        problem=problem,
    )
