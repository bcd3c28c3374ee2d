"""phoenix-evals: a classifier over a dataframe, with its own executor.

Its first limit of five requests a second is lifted, or it would measure nothing but that.
"""

import asyncio
import json

from common import RUBRIC, Driver, rows

driver = Driver.called()
with driver.importing():
    import pandas as pd
    from phoenix.evals import LLM, async_evaluate_dataframe, create_classifier


async def judge_all() -> dict[int, float | None]:
    llm = LLM(
        provider="openai",
        model="stub",
        base_url=driver.base,
        api_key="stub",
        initial_per_second_request_rate=100_000,
    )
    classifier = create_classifier(
        name="helpfulness",
        prompt_template=RUBRIC + "\n\nQuestion: {question}\n\nAnswer: {answer}",
        llm=llm,
        choices={"1": 1, "2": 2, "3": 3, "4": 4},
    )
    asked = [{"question": row.question, "answer": row.answer} for row in rows(driver.rows)]
    judged = await async_evaluate_dataframe(
        dataframe=pd.DataFrame(asked),
        evaluators=[classifier],
        concurrency=driver.concurrency,
        hide_tqdm_bar=True,
        exit_on_error=False,
    )
    return dict(enumerate(map(value, judged["helpfulness_score"])))


def value(score: object) -> float | None:
    found = json.loads(score) if isinstance(score, str) else score
    return found["score"] if isinstance(found, dict) else None


with driver.judging():
    scores = asyncio.run(judge_all())
driver.report(scores)
