"""Models that are deployed on Azure OpenAI: `azure/DEPLOYMENT`."""

from __future__ import annotations

import os
from functools import partial
from urllib.parse import quote, urlsplit

from adjudge.core.reason import Reason
from adjudge.errors import UsageError

from .chat_completions import Dialect, api_root, open_dialect

_VERSION = "OPENAI_API_VERSION"


def _root(base: str, deployment: str) -> str:
    """Below the endpoint of the resource: the path of a dated version, else that of v1.

    OPENAI_API_VERSION chooses the dated one, as for Azure's own clients. An address that leads to
    a deployment already, as Azure's pages show it, or to v1, is taken as it is.
    """
    url = urlsplit(base)
    path = api_root(url.path)
    version = os.environ.get(_VERSION, "").strip()
    query = url.query or (f"api-version={quote(version, safe='')}" if version else "")
    if path.endswith("/openai/v1"):
        return url._replace(path=path).geturl()
    if "/openai/deployments/" not in path:
        path = path.removesuffix("/openai") + "/openai"
        path += f"/deployments/{quote(deployment, safe='')}" if query else "/v1"
    elif not query:
        raise UsageError(Reason("model.no_version", name=_VERSION))
    return url._replace(path=path, query=query).geturl()


DIALECT = Dialect(
    provider="azure",
    key="AZURE_OPENAI_API_KEY",
    base="AZURE_OPENAI_ENDPOINT",
    key_field="api-key",
    key_form="{}",
    root=_root,
    model_name=Reason("model.deployment"),
    address="like https://RESOURCE.openai.azure.com",
)

open_model = partial(open_dialect, DIALECT)
