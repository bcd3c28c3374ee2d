"""autoevals: an LLMClassifier with reasons, `eval_async` for every row.

It has no batch of its own, so workers call it, as many as there may be requests in flight.
"""

import asyncio

from common import RUBRIC, Driver, Row, each

driver = Driver.called()
with driver.importing():
    from autoevals import LLMClassifier, init
    from openai import AsyncOpenAI

_MARKS = {"1": 0.25, "2": 0.5, "3": 0.75, "4": 1.0}


async def judge_all() -> dict[int, float]:
    init(client=AsyncOpenAI(base_url=driver.base, api_key="stub"))
    classifier = LLMClassifier(
        name="helpfulness",
        prompt_template=RUBRIC + "\n\nQuestion: {{input}}\n\nAnswer: {{output}}",
        choice_scores=_MARKS,
        model="stub",
        use_cot=True,
    )

    async def judge(row: Row) -> float | None:
        score = (await classifier.eval_async(output=row.answer, input=row.question)).score
        return None if score is None else score * 4

    return await each(driver.rows, driver.concurrency, judge)


with driver.judging():
    scores = asyncio.run(judge_all())
driver.report(scores)
