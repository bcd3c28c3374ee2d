"""Azure OpenAI, on the path of a dated version; tests/unit has the path of v1."""

from __future__ import annotations

from tests.conformance.case import Case
from tests.conformance.cases.chat import misnamed, schema_of, text_of
from tests.doubles.azure import DATED, AzureDouble, filtered_prompt
from tests.doubles.chat import KEY
from tests.doubles.http import Double, Refuses, Says


def _environment(double: Double) -> dict[str, str]:
    return {
        "AZURE_OPENAI_API_KEY": KEY,
        "AZURE_OPENAI_ENDPOINT": double.url,
        "OPENAI_API_VERSION": "2024-10-21",
    }


CASE = Case(
    model="azure/gpt-x",
    double=AzureDouble,
    ask=f"POST {DATED}",
    key=KEY,
    variable="AZURE_OPENAI_API_KEY",
    environment=_environment,
    base=lambda double: None,
    text_of=text_of,
    schema_of=schema_of,
    misnamed=misnamed,
    cut_off=Says("half a", finish="length"),
    declined=Says("", finish="content_filter", reason="self_harm"),
    filtered=filtered_prompt("violence"),
    bad_key=Refuses(401, "Access denied due to invalid subscription key."),
    forbidden=Refuses(403, "Access denied due to Virtual Network/Firewall rules."),
    invalid=Refuses(400, "Invalid 'messages[0].content'"),
    unknown_model=Refuses(
        404, "The API deployment does not exist.", more={"code": "DeploymentNotFound"}
    ),
    remedy="check the deployment's name and AZURE_OPENAI_ENDPOINT",
    too_long=Refuses(400, "Please reduce it.", more={"code": "context_length_exceeded"}),
    limited=Refuses(
        429,
        "Your requests have exceeded the token rate limit of your current tier.",
        headers={"retry-after": "7", "retry-after-ms": "6500"},
    ),
    waits=6.5,
    broken=Refuses(500, "Internal server error"),
    overloaded=Refuses(503, "The service is temporarily unable to process your request."),
)
