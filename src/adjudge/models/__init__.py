"""Prompt → Reply: a module per provider; `http` carries the requests."""

from .base import (
    BatchState,
    Capabilities,
    GenerationProgress,
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
    "GenerationProgress",
    "Likelihoods",
    "Model",
    "ModelOptions",
    "Price",
    "ProviderBatches",
    "open_model",
    "providers",
]
