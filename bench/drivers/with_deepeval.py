"""DeepEval: a GEval metric with its steps given, so that a row takes one call, by `evaluate`."""

from common import RUBRIC, Driver, rows

driver = Driver.called()
with driver.importing():
    from deepeval import evaluate
    from deepeval.evaluate import AsyncConfig, DisplayConfig, ErrorConfig
    from deepeval.metrics import GEval
    from deepeval.models import LocalModel
    from deepeval.test_case import LLMTestCase, SingleTurnParams


def judge_all() -> dict[int, int]:
    metric = GEval(
        name="helpfulness",
        evaluation_steps=[RUBRIC],
        evaluation_params=[SingleTurnParams.INPUT, SingleTurnParams.ACTUAL_OUTPUT],
        model=LocalModel(model="stub", base_url=driver.base, api_key="stub"),
    )
    cases = [
        LLMTestCase(name=str(row.id), input=row.question, actual_output=row.answer)
        for row in rows(driver.rows)
    ]
    done = evaluate(
        cases,
        [metric],
        async_config=AsyncConfig(max_concurrent=driver.concurrency, throttle_value=0),
        display_config=DisplayConfig(show_indicator=False, print_results=False),
        error_config=ErrorConfig(ignore_errors=True),
    )
    return {
        int(one.name): round(one.metrics_data[0].score * 10)  # it divides by its highest mark
        for one in done.test_results
        if one.metrics_data and one.metrics_data[0].score is not None
    }


with driver.judging():
    scores = judge_all()
driver.report(scores)
