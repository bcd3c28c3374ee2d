"""Prompts in JSON, JSON lines, YAML, TOML, jsonnet, notebooks, and below front matter.

System and user texts of one record form one prompt. Keys, names and other settings beside them are
never part of the text.
"""

from __future__ import annotations

import json
import re
import tomllib
from bisect import bisect
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import yaml

from adjudge.core.reason import Reason
from adjudge.errors import UsageError

from .naming import numbered
from .prompt_text import FoundPrompt, from_messages

_SYSTEM_KEYS = ("system_prompt", "system", "system_message", "system_template")
_USER_KEYS = (
    "prompt_template", "user_prompt", "user_template", "user_message", "user", "prompt", "template",
    "human", "instruction",
)  # fmt: skip
_NAME_KEYS = ("name", "id", "key", "title")
# How OpenAI's evals and autoevals name the answers that a grader may give.
_CHOICE_KEYS = ("choice_strings", "choice_scores", "choices")
_ROLE_LINE = re.compile(
    r"^(?:#{0,3}[ \t]*(system|user|assistant|developer)[ \t]*:"
    r"|\{\{-?\s*role\s+\"(system|user|model|assistant)\"\s*-?\}\})[ \t]*$",
    re.MULTILINE,
)
_FRONT_MATTER = re.compile(
    r"\A---[ \t]*\r?\n(?P<keys>.*?)^---[ \t]*\r?\n", re.DOTALL | re.MULTILINE
)
_LINE = re.compile(
    r"^(?:(?P<fence>[ ]{0,3}(?:`{3,}|~{3,}))(?P<info>[^\n`]*\S)?[ \t]*"
    r"|(?P<heading>\#{1,6}[ \t][^\n]*)|[^\n]*)(?:\n|\Z)",
    re.MULTILINE,
)
# Strings of jsonnet: ||| blocks, then those in quotes.
_JSONNET = re.compile(
    r"//[^\n]*|\#[^\n]*|/\*.*?\*/"
    r"|(?:(?P<key>[\w]+|'[^'\n]+'|\"[^\"\n]+\")\s*\+?:{1,3}\s*)?(?:std\.\w+\(\s*)?"
    r"(?:\|\|\|(?P<chomp>-?)[ \t]*\n(?P<block>.*?)^[ \t]*\|\|\|"
    r"|@?'(?P<single>(?:[^'\\]|\\.)*)'|@?\"(?P<double>(?:[^\"\\]|\\.)*)\")",
    re.DOTALL | re.MULTILINE,
)


# The one in C reads a megabyte in half a second, the one in Python in five.
_SafeLoader: type[yaml.SafeLoader] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class _SafeYamlLoader(_SafeLoader):  # type: ignore[misc, valid-type]
    """As judge files are read: yes, no and on are words. Tags that only one program knows (`!file`)
    are taken for their plain values."""


_SafeYamlLoader.yaml_implicit_resolvers = {
    sign: [(tag, rule) for tag, rule in rules if tag != "tag:yaml.org,2002:bool"]
    for sign, rules in yaml.SafeLoader.yaml_implicit_resolvers.items()
}


def _plain(loader: _SafeYamlLoader, _suffix: str, node: yaml.Node) -> Any:
    if isinstance(node, yaml.ScalarNode):
        return loader.construct_scalar(node)
    if isinstance(node, yaml.SequenceNode):
        return loader.construct_sequence(node, deep=True)
    return loader.construct_mapping(node, deep=True) if isinstance(node, yaml.MappingNode) else None


_SafeYamlLoader.add_multi_constructor("!", _plain)


def _malformed(form: str, error: Exception) -> Reason:
    return Reason("import.malformed", form=form, why=" ".join(str(error).split()))


def json_prompts(text: str, where: str) -> list[FoundPrompt]:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise UsageError(_malformed("JSON", error).in_file(where)) from None
    return list(in_value(value, ""))


def json_line_prompts(text: str, where: str) -> list[FoundPrompt]:
    """One record per line, each under its own name where it has one."""
    prompts: list[FoundPrompt] = []
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip():
            continue
        try:
            value = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise UsageError(_malformed("JSON", error).in_file(where, number)) from None
        prompts += in_value(value, _record_name(value) or str(number))
    return prompts


def yaml_prompts(text: str, where: str) -> list[FoundPrompt]:
    try:
        documents = list(yaml.load_all(text, _SafeYamlLoader))
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        raise UsageError(_malformed("YAML", error).in_file(where)) from None
    return [
        prompt
        for number, value in enumerate(documents, 1)
        for prompt in in_value(value, str(number) if len(documents) > 1 else "")
    ]


def toml_prompts(text: str, where: str) -> list[FoundPrompt]:
    try:
        return list(in_value(tomllib.loads(text), ""))
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise UsageError(_malformed("TOML", error).in_file(where)) from None


def jsonnet_prompts(text: str, where: str) -> list[FoundPrompt]:
    """The texts of a jsonnet file by their keys; what would have to be computed is left out."""
    del where
    prompts: list[FoundPrompt] = []
    known: dict[str, int] = {}
    line_ends = [match.start() for match in re.finditer("\n", text)]
    for match in _JSONNET.finditer(text):
        if match["block"] is None and match["single"] is None and match["double"] is None:
            continue  # a comment
        key = (match["key"] or "text").strip("'\"")
        name = numbered(key, known)
        line = bisect(line_ends, match.start()) + 1
        prompts.append(FoundPrompt(name=name, text=_jsonnet_text(match), line=line))
    return prompts


def _jsonnet_text(match: re.Match[str]) -> str:
    if match["block"] is not None:
        rows = match["block"].splitlines(keepends=True)
        first = next((row for row in rows if row.strip()), "")
        indent = first[: len(first) - len(first.lstrip())]
        text = "".join(row.removeprefix(indent) if row.strip() else "\n" for row in rows)
        return text.strip("\n") if match["chomp"] or "std." in match[0] else text
    raw = match["single"] if match["single"] is not None else match["double"]
    try:
        return str(json.loads('"' + raw.replace("\\'", "'").replace('"', '\\"') + '"'))
    except ValueError:
        return str(raw)


def without_front_matter(text: str) -> tuple[str, Mapping[str, Any]]:
    """The text below its front matter, and the keys that stand there."""
    front_matter = _FRONT_MATTER.match(text)
    if front_matter is None:
        return text, {}
    try:
        keys = yaml.load(front_matter["keys"], _SafeYamlLoader)  # noqa: S506 - a SafeLoader
    except (yaml.YAMLError, RecursionError, ValueError):
        return text, {}
    return (text[front_matter.end() :], keys) if isinstance(keys, dict) else (text, {})


def role_prompt(text: str, name: str) -> FoundPrompt | None:
    """A text whose lines `system:` and `user:` begin messages, as in .prompty files."""
    marks = list(_ROLE_LINE.finditer(text))
    if not marks or text[: marks[0].start()].strip():
        return None
    ends = [mark.start() for mark in marks[1:]] + [len(text)]
    messages = [
        (role, FoundPrompt(name=role, text=text[mark.end() : end].strip("\r\n")))
        for mark, end in zip(marks, ends, strict=True)
        for role in [mark[1] or mark[2]]
    ]
    return from_messages(name, messages)


def block_prompts(text: str) -> list[FoundPrompt]:
    """The code blocks of a Markdown page about prompts, each under the heading above it: those that
    judge and have places for texts, where the page around them has none."""
    prompts: list[FoundPrompt] = []
    depth = start = end = 0
    around, heading, first_line = "", "prompt", 0
    for number, match in enumerate(_LINE.finditer(text), 1):
        if depth == 0 and match["heading"]:
            heading = match["heading"].strip("# \t")
        if not match["fence"]:
            continue
        if depth and not match["info"]:
            depth -= 1
            if depth == 0:
                body, end = text[start : match.start()], match.end()
                prompts.append(FoundPrompt(name=heading, text=body, line=first_line))
        else:
            if depth == 0:
                around += text[end : match.start()]
                start, first_line = match.end(), number + 1
            depth += 1
    page = FoundPrompt(name="", text=around + text[end:])
    if depth or page.has_place:
        return []
    judges = [prompt for prompt in prompts if prompt.likely and prompt.judges and prompt.has_place]
    within = sum(len(prompt.text) for prompt in judges)
    # Words of judging around a short block are the task, and the block shows the item.
    return judges if within > len(page.text) or not page.judges else []


def in_value(value: Any, path: str) -> Iterator[FoundPrompt]:
    """The prompts in a value as JSON, YAML or TOML give it, each under the path to it."""
    if isinstance(value, str):
        yield FoundPrompt(name=path, text=value)
    elif isinstance(value, Mapping):
        yield from _in_record(value, path)
    elif isinstance(value, Sequence) and not isinstance(value, bytes):
        conversation = _conversation(value, path)
        if conversation is not None:
            yield conversation
            return
        for place, inner in enumerate(value):
            yield from in_value(inner, _below(path, _record_name(inner) or str(place)))


def _in_record(record: Mapping[Any, Any], path: str) -> Iterator[FoundPrompt]:
    """System and user texts in one record are one prompt; all other texts are on their own."""
    record = {key: _alone(inner) for key, inner in record.items()}
    system = next((key for key in _SYSTEM_KEYS if isinstance(record.get(key), str)), None)
    user = next((key for key in _USER_KEYS if isinstance(record.get(key), str)), None)
    scale = choices_of(record)
    taken = set()
    if user is not None and (system is not None or scale):
        taken = {system, user}
        yield FoundPrompt(
            name=_below(path, user),
            text=record[user],
            system=record[system] if system else "",
            scale=scale,
        )
    for key, inner in record.items():
        if key in taken or key in _NAME_KEYS:
            continue
        for prompt in in_value(inner, _below(path, str(key))):
            yield prompt if not scale or prompt.scale else _with_scale(prompt, scale, record)


def _alone(value: Any) -> Any:
    """A list of one text is that text."""
    if isinstance(value, list) and len(value) == 1 and isinstance(value[0], str):
        return value[0]
    return value


def _with_scale(prompt: FoundPrompt, scale: str, record: Mapping[Any, Any]) -> FoundPrompt:
    keys = [key for key in (*_USER_KEYS, "messages") if key in record]
    of_this = any(prompt.name.rpartition(".")[2] == key for key in keys)
    return replace(prompt, scale=scale) if of_this else prompt


def choices_of(record: Mapping[Any, Any]) -> str:
    """`choice_strings: ABCDE`, `choice_scores: {A: 1.0, B: 0.4}` → "A/B/C/D/E"."""
    for key in _CHOICE_KEYS:
        choices = record.get(key)
        if isinstance(choices, str) and re.fullmatch(r"[A-Z]{2,8}", choices):
            return "/".join(choices)
        if isinstance(choices, list | dict) and 2 <= len(choices) <= 10:
            names = [str(name) for name in choices]
            if all(re.fullmatch(r"[\w -]{1,24}", name) for name in names):
                return "/".join(names)
    return ""


def _conversation(value: Sequence[Any], path: str) -> FoundPrompt | None:
    """A list of `{"role": …, "content": …}`; parts of a content are joined."""
    messages = []
    for entry in value:
        role = entry.get("role") if isinstance(entry, Mapping) else None
        content = entry.get("content") if isinstance(entry, Mapping) else None
        if isinstance(content, list):
            content = "\n".join(
                str(part.get("text", "")) for part in content if isinstance(part, Mapping)
            )
        if not isinstance(role, str) or not isinstance(content, str):
            return None
        messages.append((role, FoundPrompt(name=role, text=content)))
    return from_messages(path or "messages", messages)


def _record_name(value: Any) -> str:
    if not isinstance(value, Mapping):
        return ""
    named = next((value[key] for key in _NAME_KEYS if isinstance(value.get(key), str)), "")
    return named if re.fullmatch(r"[\w .:-]{1,60}", named) else ""


def _below(path: str, key: str) -> str:
    return f"{path}.{key}" if path else key


def notebook_code(text: str, where: str) -> str:
    """The code cells of a Jupyter notebook as one Python text; magics are comments."""
    try:
        cells = json.loads(text)["cells"]
        code = ["".join(cell["source"]) for cell in cells if cell.get("cell_type") == "code"]
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise UsageError(Reason("import.no_notebook", why=repr(error)).in_file(where)) from None
    return re.sub(r"^(\s*)[%!]", r"\1# ", "\n".join(code), flags=re.MULTILINE)
