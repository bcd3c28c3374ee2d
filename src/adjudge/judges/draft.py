"""A rubric, or a checklist per item, that a model proposes: the question to it, and the judge file.

Nothing of it counts before somebody has read it: the file says that it is drafted, and by whom, and
so do `judges check`, `run` and reports.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from adjudge.core.checklist import NoChecklist, read_checklist
from adjudge.core.prompt import Message, Prompt
from adjudge.core.reason import Reason
from adjudge.errors import UsageError

from .fence import fence, make_mark
from .load import load_text, wording_for
from .reply_form import object_schema

LIST_COLUMN = "checklist"
_LONGEST = 4000  # characters of a text that the model is shown
_SHOWN = 8  # items that a rubric is drafted from
_MOST = 8  # criteria of a rubric
_SCALES = ("1-5", "yes/no")


_TEXT = {"type": "string"}
_RUBRIC = object_schema(
    {
        "title": _TEXT,
        "criteria": {
            "type": "array",
            "items": object_schema(
                {
                    "name": _TEXT,
                    "title": _TEXT,
                    "guide": _TEXT,
                    "scale": {"type": "string", "enum": [*_SCALES]},
                    "weight": {"type": "number"},
                }
            ),
        },
    }
)
_LIST = object_schema(
    {
        "questions": {
            "type": "array",
            "items": object_schema(
                {"text": _TEXT, "points": {"type": "number"}, "required": {"type": "boolean"}}
            ),
        }
    }
)


def rubric_prompt(items: Sequence[Mapping[str, str]], language: str, secret: bytes) -> Prompt:
    """Asks for a rubric that fits these items."""
    phrases = wording_for(language).further["draft"]
    shown = "\n\n".join(_item(item, secret) for item in items[:_SHOWN])
    return _prompt(phrases["rubric"], shown, _RUBRIC, language, secret)


def list_prompt(item: Mapping[str, str], language: str, secret: bytes) -> Prompt:
    """Asks for the questions that a good answer to this item can be checked by; the answer that is
    there is not shown, or the list would be made after it."""
    phrases = wording_for(language).further["draft"]
    asked = {name: text for name, text in item.items() if name != "answer"}
    return _prompt(phrases["checklist"], _item(asked, secret), _LIST, language, secret)


def _prompt(
    task: str, shown: str, schema: Mapping[str, object], language: str, secret: bytes
) -> Prompt:
    notice = wording_for(language).phrases["fence_notice"].format(mark=make_mark(secret, "draft"))
    system = f"{task}\n\n{notice}"
    messages = (Message("system", system), Message("user", shown))
    return Prompt(messages=messages, criteria=(), schema=schema)


def _item(fields: Mapping[str, str], secret: bytes) -> str:
    mark = make_mark(secret, "draft")
    texts = {name: text[:_LONGEST] for name, text in fields.items() if text.strip()}
    return "\n".join(fence(name, text, mark) for name, text in texts.items())


def rubric_file(name: str, language: str, model: str, raw: Mapping[str, Any]) -> str:
    """The judge file for the rubric that the model proposed; UsageError where that is none."""
    criteria: dict[str, dict[str, Any]] = {}
    for entry in (raw.get("criteria") or [])[:_MOST]:
        if not isinstance(entry, Mapping) or not str(entry.get("guide") or "").strip():
            continue
        key = _name(str(entry.get("name") or entry.get("title") or ""), criteria)
        yes_no = str(entry.get("scale")) == "yes/no"
        scale: dict[str, Any] = {"type": "binary"}
        criteria[key] = {
            "title": " ".join(str(entry.get("title") or key).split()),
            "guide": str(entry["guide"]).strip(),
            "scale": scale if yes_no else {"type": "integer", "min": 1, "max": 5},
            "weight": _weight(entry.get("weight")),
        }
    if not criteria:
        raise UsageError(Reason("draft.no_rubric", model=model))
    title = " ".join(str(raw.get("title") or name).split())
    overall = {"overall": {"from": "weighted_mean"}}
    return _file(name, language, model, title, criteria, overall)


def questions_of(raw: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The questions that the model proposed for an item, as the data will hold them; none where it
    proposed none that can be asked."""
    import json  # noqa: PLC0415 - the one place that needs it

    try:
        questions = read_checklist(json.dumps(raw.get("questions") or []))
    except NoChecklist:
        return []
    return [
        {"text": question.text, "points": question.points, "required": question.required}
        for question in questions
    ]


def list_file(name: str, language: str, model: str) -> str:
    """The judge that goes through the list of each item."""
    criteria = {"covers": {"title": "Checklist", "checklist": {"from": LIST_COLUMN}}}
    return _file(name, language, model, f"Checklist ({name})", criteria, {})


def _file(
    name: str,
    language: str,
    model: str,
    title: str,
    criteria: Mapping[str, Any],
    more: Mapping[str, Any],
) -> str:
    document = {
        "judge": name,
        "version": 1,
        "title": title,
        "language": language,
        "explain_in": language,
        "drafted": model,
        "inputs": {
            "question": {"required": True},
            "context": {"required": False},
            "reference": {"required": False},
            "answer": {"required": True, "judged": True},
        },
        "criteria": dict(criteria),
        **more,
    }
    head = (
        f"Drafted by {model}. Read it, change what is wrong, and delete the line `drafted`:\n"
        "until then every run and report says that nobody has."
    )
    from .importing.write import judge_text  # noqa: PLC0415 - every start would load the importer

    text = judge_text(document, {}, head)
    load_text(text, f"{name}.yaml")
    return text


def _name(text: str, taken: Mapping[str, object]) -> str:
    base = re.sub(r"[^a-z0-9]+", "_", text.casefold()).strip("_") or "criterion"
    base = base if base[0].isalpha() else f"c_{base}"
    base = f"{base}_score" if base in {"overall", "explanation"} else base
    names = (base if n == 1 else f"{base}_{n}" for n in range(1, len(taken) + 2))
    return next(name for name in names if name not in taken)


def _weight(raw: object) -> float:
    is_number = isinstance(raw, int | float) and not isinstance(raw, bool)
    return round(float(raw), 3) if is_number and 0 < float(raw) <= 100 else 1.0  # type: ignore[arg-type]
