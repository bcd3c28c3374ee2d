"""openevals: create_async_llm_as_judge on the OpenAI client, awaited for every row.

It has no batch of its own, so workers call it, as many as there may be requests in flight.
"""

import asyncio

from common import RUBRIC, Driver, Row, each

driver = Driver.called()
with driver.importing():
    from openai import AsyncOpenAI
    from openevals.llm import create_async_llm_as_judge


async def judge_all() -> dict[int, float]:
    judge_item = create_async_llm_as_judge(
        prompt=RUBRIC + "\n\nQuestion: {inputs}\n\nAnswer: {outputs}",
        feedback_key="helpfulness",
        judge=AsyncOpenAI(base_url=driver.base, api_key="stub"),
        model="stub",
        choices=[1, 2, 3, 4],
    )

    async def judge(row: Row) -> float:
        return (await judge_item(inputs=row.question, outputs=row.answer))["score"]

    return await each(driver.rows, driver.concurrency, judge)


with driver.judging():
    scores = asyncio.run(judge_all())
driver.report(scores)
