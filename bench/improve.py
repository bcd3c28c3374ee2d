"""Does `adjudge improve` find what is there, and refuse where nothing is?

Scripted models, so that the truth is known. With `--planted` a judge is right about fees only if
its guide names the policy "a wrong fee is a serious error"; the writer knows eight policies, reads
the items that judge and people differ on, and proposes one of those whose words occur there more
often than in the other items it is shown. With `--hopeless` the judge errs by chance, and the
wording decides which items, but not how many. Run: `.venv/bin/python bench/improve.py`.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import tempfile
from collections.abc import Callable
from pathlib import Path

import adjudge
from adjudge.core.reply import Usage

Messages = list[dict[str, str]]
POLICY = "A wrong fee is a serious error."
# Each with the words that speak for it where judge and people differ.
POLICIES = {
    POLICY: "12 euro",
    "A rude tone is a serious error.": "nonsense",
    "Small talk is a serious error.": "lovely day",
    "A missing greeting is a serious error.": "hello",
    "A guess about dates is a serious error.": "perhaps on",
    "Missing contact details are a serious error.": "call us",
    "An answer with thanks is a serious error.": "thank you",
    "An answer in a hurry is a serious error.": "in short",
}
CHATTER = ("", "Hello.", "Thank you.", "What a lovely day.", "Call us.", "In short: yes.")
JUDGE = {
    "judge": "bank",
    "version": 1,
    "title": "Is the answer good?",
    "language": "en",
    "explain_in": "any",
    "inputs": {"question": {"required": True}, "answer": {"required": True, "judged": True}},
    "criteria": {
        "good": {"title": "Good", "guide": "Is the answer good?", "scale": {"type": "binary"}}
    },
}


def bank(labels: int, seed: int) -> tuple[list[dict[str, object]], list[dict[str, object]]]:
    """Answers of a bank, a third with a wrong fee, and labels, of which one in twenty slips."""
    chance = random.Random(seed)  # noqa: S311 - no secret
    rows: list[dict[str, object]] = []
    people: list[dict[str, object]] = []
    for number in range(labels):
        wrong, slip = chance.random() < 0.35, chance.random() < 0.05
        fee, chatter = "12 euro" if wrong else "10 euro", chance.choice(CHATTER)
        answer = f"The fee of order {chance.randrange(10**6)} is {fee}. {chatter}".rstrip()
        row = {"id": str(number), "question": f"What is the fee in case {number}?"}
        rows.append({**row, "answer": answer})
        people.append({"item": str(number), "good": wrong is slip})
    return rows, people


def judge_model(seed: int, *, planted: bool) -> Callable[[Messages], adjudge.Reply]:
    """Knows wrong fees only by the policy; or, hopeless, errs on three items in ten."""

    def ask(messages: Messages) -> adjudge.Reply:
        whole = "\n".join(message["content"] for message in messages)
        answer = messages[-1]["content"].split("The fee of order")[-1].split(".")[0]
        right = "12 euro" not in answer
        if planted:
            good = right if POLICY in whole else True
        else:
            guide = whole.split("Is the answer good?")[-1][:60]
            drawn = random.Random(f"{seed} {answer} {guide}").random()  # noqa: S311 - no secret
            errs = drawn < 0.3
            good = right is not errs
        return reply(messages, {"good": {"explanation": "By what it says.", "score": good}})

    return ask


def reply(messages: Messages, said: dict[str, object]) -> adjudge.Reply:
    """With its tokens, so that the budget counts them."""
    text = json.dumps(said)
    sent = sum(len(message["content"]) for message in messages) // 4
    usage = Usage(input_tokens=sent, output_tokens=len(text) // 4, cost_usd=0.0)
    return adjudge.Reply(text=text, usage=usage)


def shown_items(messages: Messages) -> tuple[list[str], list[str]]:
    """The items in a writer's prompt: those that judge and people differ on, and the others."""
    different: list[str] = []
    alike: list[str] = []
    for item in re.split(r"^Item \d+$", messages[-1]["content"], flags=re.MULTILINE)[1:]:
        judge, people = re.findall(r"^(?:The judge|People) gave: (.*)$", item, re.MULTILINE)
        (different if judge != people else alike).append(item.casefold())
    return different, alike


def writer_model(seed: int) -> Callable[[Messages], adjudge.Reply]:
    chance = random.Random(seed)  # noqa: S311 - no secret

    def ask(messages: Messages) -> adjudge.Reply:
        different, alike = shown_items(messages)

        def speaks(words: str) -> float:
            """How much more often items have these words where judge and people differ."""
            shares = [
                sum(words in item for item in items) / max(1, len(items))
                for items in (different, alike)
            ]
            return shares[0] - shares[1]

        likely = [policy for policy, words in POLICIES.items() if speaks(words) > 0]
        added = f" {chance.choice(likely)}" if likely else ""
        guide = f"Is the answer good?{added}"
        said = {"diagnosis": "A rule is missing.", "guide": guide, "steps": []}
        return reply(messages, said)

    return ask


def improved(seed: int, *, planted: bool, labels: int, tries: int) -> adjudge.Improvement:
    rows, people = bank(labels, seed)
    with tempfile.TemporaryDirectory() as folder:
        return adjudge.improve(
            JUDGE,
            rows,
            labels=people,
            model=judge_model(seed, planted=planted),
            writer=writer_model(seed),
            store=str(Path(folder) / "store.db"),
            split_seed=seed,
            tries=tries,
            budget="400ktok",
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--planted", type=int, default=10, help="seeds with the planted policy")
    parser.add_argument("--hopeless", type=int, default=20, help="seeds that no wording helps")
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument("--labels", type=int, default=80)
    parser.add_argument("--tries", type=int, default=24)
    chosen = parser.parse_args()
    sizes = {"labels": chosen.labels, "tries": chosen.tries}
    found = refused = 0
    for seed in range(chosen.first, chosen.first + chosen.planted):
        result = improved(seed, planted=True, **sizes)
        named = POLICY in result.text
        found += result.better and named
        print(
            "planted",
            seed,
            "found" if result.better and named else f"not found: {result.why}",
            f"{result.tokens:,} tokens",
            flush=True,
        )
    for seed in range(chosen.first, chosen.first + chosen.hopeless):
        result = improved(seed, planted=False, **sizes)
        refused += not result.better
        print(
            "hopeless", seed, "improved" if result.better else f"refused: {result.why}", flush=True
        )
    print(f"planted policy found: {found} of {chosen.planted} (at least 9 of 10 must be)")
    print(f"refused: {refused} of {chosen.hopeless} (at least 19 of 20 must be)")


if __name__ == "__main__":
    main()
