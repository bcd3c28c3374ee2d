"""The chat completions protocol of OpenAI, which many servers speak, each in its dialect."""

from .dialect import FORMS, ContextAt, Dialect, api_root, server_root
from .model import OpenAIModel, base_url_of, open_dialect

__all__ = [
    "FORMS",
    "ContextAt",
    "Dialect",
    "OpenAIModel",
    "api_root",
    "base_url_of",
    "open_dialect",
    "server_root",
]
