"""ragas: a numeric metric of one prompt, `ascore` for every row.

Its own `abatch_score` sends all rows at once, whatever their number; so workers call it here, as
many as there may be requests in flight.
"""

import asyncio

from common import RUBRIC, Driver, Row, each

driver = Driver.called()
with driver.importing():
    from openai import AsyncOpenAI
    from ragas.llms import llm_factory
    from ragas.metrics import NumericMetric


async def judge_all() -> dict[int, float]:
    llm = llm_factory("stub", client=AsyncOpenAI(base_url=driver.base, api_key="stub"))
    metric = NumericMetric(
        name="helpfulness",
        allowed_values=(1, 4),
        prompt=RUBRIC + "\n\nQuestion: {question}\n\nAnswer: {answer}",
    )

    async def judge(row: Row) -> float:
        return (await metric.ascore(question=row.question, answer=row.answer, llm=llm)).value

    return await each(driver.rows, driver.concurrency, judge)


with driver.judging():
    scores = asyncio.run(judge_all())
driver.report(scores)
