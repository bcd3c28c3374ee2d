"""DeepSeek."""

from __future__ import annotations

from tests.conformance.case import Case
from tests.conformance.cases.chat import misnamed, schema_of, text_of
from tests.doubles.chat import KEY
from tests.doubles.deepseek import DeepSeekDouble
from tests.doubles.http import Refuses, Says

CASE = Case(
    model="deepseek/deepseek-x",
    double=DeepSeekDouble,
    ask="POST /chat/completions",
    key=KEY,
    variable="DEEPSEEK_API_KEY",
    binds=False,
    text_of=text_of,
    schema_of=schema_of,
    misnamed=misnamed,
    cut_off=Says("half a", finish="length"),
    declined=None,
    filtered=Refuses(400, "Content Exists Risk"),
    bad_key=Refuses(401, "Authentication Fails (no such user)", "authentication_error"),
    forbidden=Refuses(403, "Your account may not use this."),
    invalid=Refuses(400, "Invalid 'messages[0].content'"),
    unknown_model=Refuses(400, "Model Not Exist"),
    too_long=Refuses(400, "This model's maximum context length is 131072 tokens."),
    limited=Refuses(429, "Rate Limit Reached", headers={"retry-after": "3"}),
    waits=3.0,
    broken=Refuses(500, "Server Error"),
    overloaded=Refuses(503, "Server Overloaded"),
)
