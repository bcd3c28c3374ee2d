"""16 systems on 100 documents: a LaTeX table of how the judge orders systems, beside people."""
# extras: trust

import json
import random
import subprocess
from pathlib import Path

SYSTEMS, DOCUMENTS = 16, 100
chance = random.Random(0)  # noqa: S311 - figures to look at
quality = [chance.uniform(1.5, 3.5) for _ in range(SYSTEMS)]


def grade(value: float) -> int:
    return min(4, max(1, round(value)))


with Path("d.jsonl").open("w") as rows, Path("r.jsonl").open("w") as replies:
    labels = ["item,rating\n"]
    for document in range(DOCUMENTS):
        for system in range(SYSTEMS):
            item = f"{document}-{system}"
            people = grade(quality[system] + chance.gauss(0, 0.7))
            judge = grade(people + chance.gauss(0, 0.7))
            row = {"id": item, "question": f"Q{document}", "answer": f"A {item}",
                   "model": f"sys_{system}", "doc": document}  # fmt: skip
            rows.write(json.dumps(row) + "\n")
            reply = {"item": item, "replies": [f"Rating: {judge}\nA reason."]}
            replies.write(json.dumps(reply) + "\n")
            labels.append(f"{item},{people}\n")
Path("people.csv").write_text("".join(labels))
run = ["adjudge", "run", "d.jsonl", "--judge", "helpfulness", "-m", "replay:r.jsonl"]
subprocess.run([*run, "--no-progress", "--quiet"], check=True)
calibrate = ["adjudge", "calibrate", "--labels", "people.csv", "--system", "model"]
out = ["--group", "doc", "-o", "table.tex", "-o", "t.table.csv", "--json"]
ended = subprocess.run([*calibrate, *out], check=True, capture_output=True, text=True)
found = json.loads(ended.stdout)["criteria"]["rating"]["by_system"]
assert (found["systems"], found["documents"]) == (SYSTEMS, DOCUMENTS)
assert found["system"]["spearman"]["value"] > 0.9, found["system"]
for level in ("system", "document", "pooled"):
    for name in ("pearson", "spearman", "kendall"):
        stat = found[level][name]
        assert stat["low"] <= stat["value"] <= stat["high"], (level, name, stat)
text = Path("table.tex").read_text("utf-8")
assert "system means" in text
assert r"\toprule" in text
assert r"sys\_3" in text
