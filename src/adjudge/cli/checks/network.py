"""Keys and addresses of the providers, proxies, certificates."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path

from adjudge.settings.dotenv import NETWORK
from adjudge.settings.secrets import without_secrets

from ..sources import Sources
from .finding import Finding

# The variables that each provider reads. Declared here, since asking the providers would import
# them all; a test holds the list against their files.
VARIABLES: Mapping[str, tuple[str, ...]] = {
    "anthropic": ("ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL"),
    "azure": ("AZURE_OPENAI_API_KEY", "AZURE_OPENAI_ENDPOINT", "OPENAI_API_VERSION"),
    "deepseek": ("DEEPSEEK_API_KEY", "DEEPSEEK_BASE_URL"),
    "gemini": ("GEMINI_API_KEY", "GEMINI_BASE_URL"),
    "llamacpp": ("LLAMACPP_API_KEY", "LLAMACPP_BASE_URL"),
    "ollama": ("OLLAMA_HOST", "OLLAMA_API_KEY", "OLLAMA_MODELS"),
    "openai": ("OPENAI_API_KEY", "OPENAI_BASE_URL"),
    "openrouter": ("OPENROUTER_API_KEY", "OPENROUTER_BASE_URL"),
    "together": ("TOGETHER_API_KEY", "TOGETHER_BASE_URL"),
    "vllm": ("VLLM_API_KEY", "VLLM_BASE_URL"),
}
# Servers of one's own: most have no key.
_OWN = ("llamacpp", "ollama", "vllm")
_ADDRESSES = ("_URL", "_HOST", "_ENDPOINT", "_VERSION")


def keys(sources: Sources, providers: list[str], *, all_of_them: bool) -> Iterator[Finding]:
    """Whether keys are set, never what they hold; where the providers are reached."""
    for provider in providers:
        known = VARIABLES.get(provider, ())
        # A provider of another package: whatever begins with its name.
        prefix = f"{provider.upper().replace('-', '_')}_"
        others = () if known else sorted(name for name in os.environ if name.startswith(prefix))
        for name in (*known, *others):
            wanted = name.endswith("_API_KEY") and provider not in _OWN
            if os.environ.get(name) or wanted or all_of_them:
                yield _variable(sources, name)


def _variable(sources: Sources, name: str) -> Finding:
    value = os.environ.get(name)
    if not value:
        return Finding(name, "not set")
    origin = (sources.env.origin(name) if sources.env else None) or "environment"
    shown = without_secrets(value) if name.endswith(_ADDRESSES) else "set"
    return Finding(name, shown, "ok", origin)


def ways_out(sources: Sources) -> Iterator[Finding]:
    """Proxies and certificates, where they are set; certificates must be there."""
    for name in sorted(name for name in os.environ if name.upper() in NETWORK):
        value = os.environ[name]
        if not value:
            continue
        origin = (sources.env.origin(name) if sources.env else None) or "environment"
        is_there = {"SSL_CERT_FILE": Path.is_file, "SSL_CERT_DIR": Path.is_dir}.get(name)
        if is_there and not is_there(Path(value)):
            told = f"{value} is not there: no server on the internet would be trusted"
            yield Finding(name, told, "wrong", origin)
        else:
            yield Finding(name, without_secrets(value), "ok", origin)
