#!/usr/bin/env bash
# extras:
# RAG rows with lists of contexts, from the command line alone: is every statement grounded?
set -euo pipefail

cat > rag.jsonl <<'ROWS'
{"id": "fee", "question": "What is the fee?", "contexts": ["The fee is 40 euros.", "Children pay nothing."], "answer": "40 euros; children are free."}
{"id": "hours", "question": "When is it open?", "contexts": ["Open from 9 to 17.", "Closed on Mondays.", "Tickets are sold online."], "answer": "Every day from 9 to 17."}
{"id": "none", "question": "Is there parking?", "contexts": [], "answer": "Yes, behind the house."}
ROWS

cat > grounded.yaml <<'JUDGE'
judge: grounded
version: 1
title: Is the answer grounded?
language: en
explain_in: en
inputs:
  question: {required: true}
  contexts: {type: list, required: false}
  answer: {required: true, judged: true}
criteria:
  grounded:
    title: Grounded
    guide: Is every statement of the answer supported by the contexts?
    scale: {type: integer, min: 1, max: 5}
reply: json
JUDGE

cat > replies.jsonl <<'REPLIES'
{"item": "fee", "replies": ["{\"grounded\": 5, \"explanation\": \"Both statements are in the contexts that were given.\"}"]}
{"item": "hours", "replies": ["{\"grounded\": 2, \"explanation\": \"The answer leaves out that it is closed on Mondays.\"}"]}
{"item": "none", "replies": ["{\"grounded\": 1, \"explanation\": \"There is no context at all that the answer could rest on.\"}"]}
REPLIES

adjudge judges check grounded.yaml
adjudge run rag.jsonl --judge grounded.yaml -m replay:replies.jsonl -o scores.csv -o scores.jsonl \
  --with-inputs --gate 'unscored<=0' --gate 'grounded.share(>=2)>=50%' | tee table.txt
grep -q 'grounded   3       0         2.67' table.txt

# Each context is numbered in the prompt, and fenced, so that none can be taken for another.
adjudge show latest --item hours --prompt > prompt.txt
grep -q '^\[1\]' prompt.txt
grep -q '^\[3\]' prompt.txt
grep -q 'Closed on Mondays.' prompt.txt

# The same rows as CSV, as a spreadsheet would save them, with the lists as JSON texts.
python - <<'PYTHON'
import csv, json

rows = [json.loads(line) for line in open("rag.jsonl", encoding="utf-8")]
with open("rag.csv", "w", encoding="utf-8", newline="") as out:
    table = csv.DictWriter(out, rows[0])
    table.writeheader()
    table.writerows(row | {"contexts": json.dumps(row["contexts"])} for row in rows)
PYTHON
adjudge run rag.csv --judge grounded.yaml -m replay:replies.jsonl --json > again.json
python -c 'import json; assert round(json.load(open("again.json"))["means"]["grounded"], 2) == 2.67'

# A gate that does not hold fails the build, with exit code 3.
code=0
adjudge run rag.jsonl --judge grounded.yaml -m replay:replies.jsonl --gate 'grounded.mean>=4' || code=$?
test "$code" = 3
