"""The floor: aiohttp and orjson, a worker for each request in flight, nothing else.

No retries, no store, no check of the reply beyond reading its score.
"""

import asyncio

from common import RUBRIC, Driver, Row, each

driver = Driver.called()
with driver.importing():
    import aiohttp
    import orjson

_TEXT = {"type": "string"}
_SCHEMA = {
    "type": "object",
    "properties": {"reason": _TEXT, "score": {"type": "integer"}},
    "required": ["reason", "score"],
    "additionalProperties": False,
}
_FORMAT = {
    "type": "json_schema",
    "json_schema": {"name": "verdict", "schema": _SCHEMA, "strict": True},
}


async def judge_all() -> dict[int, int]:
    url, headers = f"{driver.base}/chat/completions", {"Content-Type": "application/json"}
    connector = aiohttp.TCPConnector(limit=driver.concurrency)
    async with aiohttp.ClientSession(connector=connector, headers=headers) as session:

        async def judge(row: Row) -> int:
            asked = f"Question:\n{row.question}\n\nAnswer:\n{row.answer}"
            messages = [{"role": "system", "content": RUBRIC}, {"role": "user", "content": asked}]
            body = {"model": "stub", "messages": messages, "temperature": 0}
            body["response_format"] = _FORMAT
            async with session.post(url, data=orjson.dumps(body)) as answer:
                reply = orjson.loads(await answer.read())
            return orjson.loads(reply["choices"][0]["message"]["content"])["score"]

        return await each(driver.rows, driver.concurrency, judge)


with driver.judging():
    scores = asyncio.run(judge_all())
driver.report(scores)
