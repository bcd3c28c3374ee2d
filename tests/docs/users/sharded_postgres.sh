#!/usr/bin/env bash
# extras: postgres
# needs: postgres
# One run in three parts, on a store that three machines share: $ADJUDGE_STORE is a PostgreSQL server.
set -euo pipefail

python - <<'PYTHON'
import json

with open("rows.jsonl", "w", encoding="utf-8") as rows, open("replies.jsonl", "w", encoding="utf-8") as replies:
    for n in range(60):
        rows.write(json.dumps({"id": f"r{n}", "question": f"Question {n}?", "answer": f"Answer {n}."}) + "\n")
        said = {"quality": 1 + n % 5, "explanation": "It names what was asked, and the reason for it too."}
        replies.write(json.dumps({"item": f"r{n}", "replies": [json.dumps(said)]}) + "\n")
PYTHON
adjudge init --data rows.jsonl --language en --what "Is the answer right?" -m replay:replies.jsonl

for part in 1 2 3; do
  adjudge run rows.jsonl --shard "$part/3" --no-progress > "part$part.txt" &
done
wait
adjudge runs --json > runs.json
python -c 'import json; runs = json.load(open("runs.json")); assert len(runs) == 1, runs'
adjudge run rows.jsonl --json > whole.json
python -c 'import json; run = json.load(open("whole.json")); assert run["outcomes"] == {"scored": 60}, run; assert run["means"] == {"quality": 3.0}, run'
adjudge export latest -o scores.csv
test "$(wc -l < scores.csv)" -ge 61
