"""Inspect: a solver that gives back the stored answer, `model_graded_qa` as the scorer.

Its log is written as it is by default. The grade is a letter for each mark, as its grader takes.
"""

import os

from common import RUBRIC, Driver, rows

driver = Driver.called()
os.environ.update(STUB_BASE_URL=driver.base, STUB_API_KEY="stub")
with driver.importing():
    from inspect_ai import Task
    from inspect_ai import eval as evaluate
    from inspect_ai.dataset import MemoryDataset, Sample
    from inspect_ai.model import GenerateConfig, ModelOutput, get_model
    from inspect_ai.scorer import model_graded_qa
    from inspect_ai.solver import solver

_TEMPLATE = RUBRIC + "\n\nQuestion: {question}\n\nAnswer: {answer}\n\n{instructions}"
_ASK = "End with a line 'GRADE: MARK', where MARK is 1, 2, 3 or 4."


@solver
def stored():
    async def solve(state, generate):  # noqa: ARG001 - its signature is given
        state.output = ModelOutput.from_content("stored", state.metadata["answer"])
        state.completed = True
        return state

    return solve


def judge_all() -> dict[int, int]:
    samples = [
        Sample(id=row.id + 1, input=row.question, target="helpful", metadata={"answer": row.answer})
        for row in rows(driver.rows)
    ]
    model = get_model(
        "openai-api/stub/stub", config=GenerateConfig(max_connections=driver.concurrency)
    )
    scorer = model_graded_qa(
        template=_TEMPLATE, instructions=_ASK, grade_pattern=r"GRADE: ([1-4])", model=model
    )
    task = Task(dataset=MemoryDataset(samples), solver=stored(), scorer=scorer)
    [log] = evaluate(
        task,
        model="mockllm/model",
        log_dir="logs",
        display="none",
        max_samples=driver.concurrency,
    )
    found = {one.id - 1: next(iter(one.scores.values())).value for one in log.samples or ()}
    return {row: int(value) for row, value in found.items() if str(value) in "1234"}


with driver.judging():
    scores = judge_all()
driver.report(scores)
