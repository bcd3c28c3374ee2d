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
from .python_function import FunctionModel, function_model, model_from
from .registry import open_model, providers

__all__ = [
    "BatchState",
    "Capabilities",
    "FunctionModel",
    "GenerationProgress",
    "Likelihoods",
    "Model",
    "ModelOptions",
    "Price",
    "ProviderBatches",
    "function_model",
    "model_from",
    "open_model",
    "providers",
]
