"""Acme in the conformance suite, for docs/adding-a-provider.md.

The test of that page installs it beside the page's module, as adjudge_acme_case.py.
"""

from __future__ import annotations

from tests.conformance.case import Case
from tests.doubles.acme import KEY, AcmeDouble
from tests.doubles.http import Refuses, Says

CASE = Case(
    model="acme/one",
    double=AcmeDouble,
    ask="POST /v1/chat",
    key=KEY,
    variable="ACME_API_KEY",
    text_of=lambda body: body["turns"][-1]["text"],
    schema_of=lambda body: body["schema"],
    misnamed=lambda body: {**body, "turns": [{"by": "judge", "text": "x"}]},
    cut_off=Says("half a", finish="limit"),
    declined=Says("", finish="declined", reason="It may do harm."),
    filtered=None,
    bad_key=Refuses(401, "who are you?"),
    forbidden=Refuses(403, "not for you"),
    invalid=Refuses(400, "what is that?"),
    unknown_model=Refuses(404, "there is no model one"),
    too_long=Refuses(413, "the request is too large"),
    limited=Refuses(429, "not so fast", headers={"retry-after": "7"}),
    waits=7.0,
    broken=Refuses(500, "oh"),
    overloaded=Refuses(503, "later, please"),
)
