#!/usr/bin/env bash
# extras: trust
# 80 labels by people, and the answers that the judge sees otherwise, worst first.
set -euo pipefail

python - <<'PYTHON'
import csv, json

answers, replies, labels = [], [], []
for n in range(120):
    people = 1 + n % 5
    judge = people if n % 8 else (5 if people < 3 else 1)  # every eighth is far off
    answers.append({"id": f"a{n}", "topic": "fees" if n % 8 == 0 else "hours",
                    "question": f"Question {n}?", "answer": f"Answer {n}."})
    said = {"quality": judge, "explanation": "It names what was asked, and the reason for it too."}
    replies.append({"item": f"a{n}", "replies": [json.dumps(said)]})
    if n < 80:
        labels.append({"item": f"a{n}", "rater": "minh", "quality": people})
for name, rows in (("answers.csv", answers), ("labels.csv", labels)):
    with open(name, "w", encoding="utf-8", newline="") as out:
        table = csv.DictWriter(out, rows[0])
        table.writeheader()
        table.writerows(rows)
with open("replies.jsonl", "w", encoding="utf-8") as out:
    out.writelines(json.dumps(row) + "\n" for row in replies)
PYTHON

adjudge init --data answers.csv --language en --what "Is the answer right?" -m replay:replies.jsonl
adjudge run answers.csv
adjudge disagreements latest --labels labels.csv --top 5 -o disagreements.csv -o disagreements.md | tee shown.txt

# The ten that are far off come first, and what they have in common is found.
python - <<'PYTHON'
import csv

rows = list(csv.DictReader(open("disagreements.csv", encoding="utf-8")))
apart = {f"a{n}" for n in range(0, 80, 8)}
assert {row["item"] for row in rows[: len(apart)]} == apart, rows[:12]
PYTHON
grep -q fees shown.txt
