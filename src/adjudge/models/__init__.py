"""Prompt → Reply: a module per provider; `http` carries the requests."""

from .base import (
    BatchState,
    Capabilities,
    Generating,
    Likelihoods,
    Model,
    ModelOptions,
    ProviderBatches,
)
from .prices import Price
from .registry import open_model, providers

__all__ = [
    "BatchState",
    "Capabilities",
    "Generating",
    "Likelihoods",
    "Model",
    "ModelOptions",
    "Price",
    "ProviderBatches",
    "open_model",
    "providers",
]
