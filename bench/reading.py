"""How long a reply of a megabyte takes to read, whatever it consists of.

The bar is one second for the whole of `read`, for each kind of scale, one criterion and nine, text
and JSON. Prints the slowest, with the time for a quarter of the text beside it: reading is linear
where the ratio is about four. Exits with 1 above the bar.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator

from adjudge.core.judge import Judge
from adjudge.core.reply import Reply
from adjudge.judges.load import load_text
from adjudge.reading import wrong_language
from adjudge.reading.read import read

MEGABYTE, BAR, SHOWN = 1_000_000, 1.0, 12
SCALES = {
    "integer": "{type: integer, min: 1, max: 5}",
    "number": "{type: number, min: 1, max: 10}",
    "ordinal": "{type: ordinal, levels: {1: terrible, 2: unhelpful, 3: helpful, 4: excellent}}",
    "binary": "{type: binary}",
    "category": "{type: category, options: [A, B, tie]}",
}
PIECES = [
    "9", "0", "1.", "1,", "4 ", "4/", "4/5 ", "Score: 4\n", "Score: x\n", "score: 4 ", "tone: 4\n",
    "c1: 4\nc2: 3\n", "### Tone\n", "## c1\nScore: 3\n", "[[", "]]", "[[4]] ", "[[4]]\n",
    "[[a", "[[a: ",
    "[[rating]] : [", "[", "]", "{", "}", '{"a":', "{\n", "{}", '{"score": 4}\n', "{'", '{"', "```",
    "```\n", "```json\n{", "`", "`a ", "<think>", "</think>", "<score>", "<", "**", "_", "*_",
    "| a | b |\n", "| tone | 4 |\n", "|", "| ", " ", "\n", "\n ", "\r\n", "\t", "\u00a0", "\\", '"',
    "'", "“", "「", "not ", "4 out of ", "4 out of 5 ", "A is better. ", "Assistant A is better. ",
    "Assistant A's answer ", "Therefore, Assistant A's response is more ", "It's a tie. ",
    "score of ",
    "score of 4 ", "The score is 4. ", "I give it a 4. ", "give 4 ", "if ", "prefer the ",
    "verdict: ",
    "四分", "5点", "評価", "점수는 ", "4점을 주", "5점 만점에 ", "가", "chấm ", "điểm: ",
    "Bewertung ",
    "1. ", "1. a\n", ",", "- ", "-", "#", "# ", "> ", "\u200b", "e\u0301", "😀", "=", ":",
    '"score": 4, ',
    "(", "(1-5) ", "1-", "between 3 and 4 ", "3到4之间", "3~4점 ", "giữa 3 và 4 ", "4 stars ",
    "four stars. ", "Wait, actually ", "[RESULT] 4 ", "a: 4\n", "word ", "x", ". ", "I'm sorry ",
    "Explanation: good\nScore: 3\n", "http://a ", "\x00", "\\boxed{4} ",
    "The answer is clear and polite, though it misses an example of the second point. ",
    "이 답변은 명확하고 공손하지만 두 번째 점에 대한 예가 부족합니다. ",
]  # fmt: skip


def texts(size: int) -> Iterator[tuple[str, str]]:
    """What the text consists of, and the text."""
    for piece in PIECES:
        yield repr(piece)[:30], piece * (size // len(piece))
    words, many = "word " * (size // 5), size // 24
    yield "JSON, one long text", json.dumps({"explanation": words, "score": 4})
    yield "JSON, cut off", f'{{"explanation": "{words}'
    yield "JSON, broken", f'{{"explanation": "{words}", "score": 4,}}'
    yield "JSON, quotes inside", '{"score": 4, "why": "' + 'he said "x" and ' * (size // 16) + '"}'
    yield "JSON, many keys", json.dumps({f"key{number}": number for number in range(many)})
    yield "JSON, broken, many keys", json.dumps({f"key{n}": n for n in range(many)})[:-1] + ",}"
    yield "JSON, many objects", json.dumps({f"k{n}": {"score": 3} for n in range(many)})
    yield "JSON, nested lists", '{"score": ' + "[" * (size // 2) + "]" * (size // 2) + "}"
    yield "JSON, one long number", f'{{"score": {"9" * size}}}'
    yield "a label, then prose", f"Score: 4\n{words}"
    yield "a label, then digits", "Score: " + "9" * size
    yield "a label, then spaces", "Score: " + " " * size + "4"
    yield "prose, then JSON", f'{words}\n{{"score": 4}}'
    yield "a brace, then prose", "{ " + "prose, more: yes. " * (size // 18) + "}"
    yield "thoughts, then a label", f"<think>{words}</think>\nScore: 4"


def judge_of(scale: str, form: str, count: int) -> Judge:
    criteria = "".join(
        f"  {name}: {{guide: How good it is, scale: {SCALES[scale]}}}\n"
        for name in ("tone", *(f"c{number}" for number in range(1, count)))
    )
    head = "judge: bench\nversion: 1\ntitle: Bench\nlanguage: en\nexplain_in: en\n"
    inputs = f"reply: {form}\ninputs:\n  answer: {{judged: true}}\n"
    return load_text(f"{head}{inputs}criteria:\n{criteria}", "bench.yaml")


def seconds(judge: Judge, text: str) -> float:
    """Reading, and looking at the language of the explanations, as a run does."""
    began = time.process_time()
    reading = read(judge, tuple(judge.rubric.criteria), Reply(text=text))
    for found in reading.scores.values():
        if found.explanation:
            wrong_language(found.explanation, "en")
    return time.process_time() - began


def main() -> int:
    judges = {
        f"{scale}, {form}, {count}": judge_of(scale, form, count)
        for scale in SCALES
        for form in ("text", "json")
        for count in (1, 9)
    }
    for judge in judges.values():
        seconds(judge, "{'tone': 4, 'explanation': 'Das ist ein deutscher Satz, und kein kurzer.'}")
    smaller = dict(texts(MEGABYTE // 4))
    rows = []
    for name, text in texts(MEGABYTE):
        taken, by = max((seconds(judge, text), by) for by, judge in judges.items())
        rows.append((taken, seconds(judges[by], smaller[name]), name, by))
    rows.sort(reverse=True)
    print(f"{len(rows)} texts of 1 MB, {len(judges)} judges; the slowest:")
    for taken, quarter, name, by in rows[:SHOWN]:
        ratio = f"{taken / quarter:4.1f} × a quarter" if quarter else ""
        print(f"{taken * 1000:6.0f} ms  {ratio}  {name:30} {by}")
    return int(rows[0][0] > BAR)


if __name__ == "__main__":
    sys.exit(main())
