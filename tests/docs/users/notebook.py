"""A notebook from a data frame to a data frame, with labels and what a reader sees of a run."""
# extras: trust,web
# packages: nbclient,ipykernel,pandas

import nbformat
from nbclient import NotebookClient

CELLS = (
    """
import adjudge
import pandas as pd

answers = pd.DataFrame({
    "question": [f"Question {n}?" for n in range(12)],
    "answer": ["Gladly: it takes two days." if n % 3 else "Go away." for n in range(12)],
    "topic": ["fees" if n % 2 else "hours" for n in range(12)],
}, index=[f"row {n}" for n in range(12)])
answers["id"] = answers.index
""",
    """
politeness = {
    "judge": "politeness", "version": 1, "title": "Is the reply polite?",
    "language": "en", "explain_in": "any",
    "inputs": {"question": {"required": True}, "answer": {"required": True, "judged": True}},
    "criteria": {"polite": {
        "title": "Politeness", "guide": "Does the reply treat the customer with respect?",
        "scale": {"type": "integer", "min": 1, "max": 5},
    }},
    "reply": "text",
}


async def my_model(messages):
    return "Politeness: 1" if "Go away" in messages[-1]["content"] else "Politeness: 5"


@adjudge.check
def short(answer):
    return len(answer) <= 10


run = adjudge.run(answers, judge=politeness, model=my_model, checks=[short])
run
""",
    """
scores = run.to_pandas(tidy=True, with_inputs=True)
wide = scores.pivot(index="item", columns="criterion", values="value").loc[answers.index]
answers.join(wide)[["answer", "polite", "short"]]
""",
    """
said = [4 if n % 3 else 1 for n in range(12)]
people = answers.assign(item=answers["id"], rater="ana", polite=said)
adjudge.calibrate(run, labels=people[["item", "rater", "polite"]])
""",
)
book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(text) for text in CELLS])
NotebookClient(book, timeout=120).execute()
_, judged, joined, calibrated = book.cells


def html(cell: nbformat.NotebookNode) -> str:
    (shown,) = (out for out in cell.outputs if out["output_type"] == "execute_result")
    return shown["data"]["text/html"]


assert any("<progress" in str(out.get("data")) for out in judged.outputs), judged.outputs
assert "<table>" in html(judged)
assert "<svg" in html(judged)
assert "Politeness" in html(judged)
assert "row 11" in html(joined)
assert "Go away." in html(joined)
assert "<table>" in html(calibrated)
