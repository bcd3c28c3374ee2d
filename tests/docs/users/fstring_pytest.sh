#!/usr/bin/env bash
# extras:
# packages: pytest
# A judging prompt in an f-string becomes a pytest suite that fails on a worse answer, without a key.
set -euo pipefail

cat > grade.py <<'PYTHON'
"""How this team has graded its bot until now."""

from openai import OpenAI


def grade(question: str, answer: str) -> str:
    prompt = f"""You check the replies of a support desk. Rate how polite the answer is to the customer
on a scale of 1 to 5, where 1 is rude and 5 is warm.

Question: {question}
Answer: {answer}

Reply with JSON: {{"politeness": <1-5>, "reason": "<one sentence>"}}"""
    messages = [{"role": "user", "content": prompt}]
    return OpenAI().chat.completions.create(model="gpt-4o-mini", messages=messages)
PYTHON
adjudge judges import grade.py --name politeness

cat > questions.jsonl <<'ROWS'
{"id": "refund", "question": "How long does a refund take?"}
{"id": "card", "question": "Can I pay by card?"}
ROWS
cat > test_bot.py <<'PYTHON'
import json
from pathlib import Path

import pytest


@pytest.mark.adjudge_data("questions.jsonl")
def test_the_bot_is_polite(adjudge_row, adjudge_judge):
    answer = json.loads(Path("bot.json").read_text())[adjudge_row["id"]]
    item = {"question": adjudge_row["question"], "answer": answer}
    adjudge_judge(item, at_least={"politeness": 4}, judge="politeness.yaml", model="openai/gpt-4o-mini")
PYTHON

# Stands for the provider: it finds an answer rude that does not say "please".
cat > provider.py <<'PYTHON'
import json
from http.server import BaseHTTPRequestHandler, HTTPServer


class Provider(BaseHTTPRequestHandler):
    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        kind = "please" in body["messages"][-1]["content"]
        said = {"politeness": 5 if kind else 1, "reason": "The customer is asked kindly." if kind else "The customer is sent away."}
        choice = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": json.dumps(said)}}
        usage = {"prompt_tokens": 90, "completion_tokens": 12, "total_tokens": 102}
        text = json.dumps({"id": "1", "object": "chat.completion", "model": "gpt-4o-mini", "choices": [choice], "usage": usage}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, *_):
        pass


server = HTTPServer(("127.0.0.1", 0), Provider)
print(server.server_port, flush=True)
server.serve_forever()
PYTHON
python provider.py > port.txt &
provider=$!
trap 'kill "$provider" 2> /dev/null || true' EXIT
until [ -s port.txt ]; do sleep 0.05; done
export OPENAI_BASE_URL="http://127.0.0.1:$(cat port.txt)/v1"

answers() { printf '{"refund": "%s", "card": "%s"}\n' "$1" "$2" > bot.json; }
polite='Two to five days; please wait for our mail.'
offline() { env -u OPENAI_API_KEY -u OPENAI_BASE_URL python -m pytest -q --adjudge-offline replies.jsonl "$@"; }

# 1. Recorded once, with a key.
answers "$polite" 'Yes, please do.'
python -m pytest -q --adjudge-record replies.jsonl | tee first.txt
grep -q '2 passed' first.txt
grep -q 'politeness' first.txt
test "$(grep -c '"key"' replies.jsonl)" = 2

# 2. The provider is gone, and so is the key: the same answers pass.
kill "$provider"
offline --adjudge-store again.db | tee second.txt
grep -q '2 passed' second.txt

# 3. An answer that nobody has judged fails, and is named.
answers "$polite" 'Go away.'
if offline > third.txt; then cat third.txt; exit 1; fi
grep -q '1 failed, 1 passed' third.txt
grep -q 'card' third.txt

# 4. Once somebody has recorded what the judge says of it, it fails by its score.
python provider.py > port.txt &
provider=$!
until [ -s port.txt ]; do sleep 0.05; done
OPENAI_BASE_URL="http://127.0.0.1:$(cat port.txt)/v1" python -m pytest -q --adjudge-record replies.jsonl > recorded.txt || true
kill "$provider"
if offline > fourth.txt; then cat fourth.txt; exit 1; fi
grep -q '1 failed, 1 passed' fourth.txt
grep -q 'politeness' fourth.txt
adjudge show latest | grep -q politeness
