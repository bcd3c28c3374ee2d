"""pydantic-evals: an LLMJudge over a dataset whose task gives back the stored answer."""

import asyncio

from common import RUBRIC, Driver, rows

driver = Driver.called()
with driver.importing():
    from pydantic_ai.models.openai import OpenAIChatModel
    from pydantic_ai.providers.openai import OpenAIProvider
    from pydantic_evals import Case, Dataset
    from pydantic_evals.evaluators import LLMJudge


async def judge_all() -> dict[int, float]:
    model = OpenAIChatModel("stub", provider=OpenAIProvider(base_url=driver.base, api_key="stub"))
    answers = {row.question: row.answer for row in rows(driver.rows)}
    judge = LLMJudge(
        rubric=RUBRIC,
        model=model,
        include_input=True,
        score={"include_reason": True},
        assertion=False,
    )
    dataset = Dataset(
        name="rows",
        cases=[Case(name=str(row.id), inputs=row.question) for row in rows(driver.rows)],
        evaluators=[judge],
    )

    async def stored(question: str) -> str:
        return answers[question]

    done = await dataset.evaluate(stored, max_concurrency=driver.concurrency, progress=False)
    return {int(case.name): score.value for case in done.cases for score in case.scores.values()}


with driver.judging():
    scores = asyncio.run(judge_all())
driver.report(scores)
