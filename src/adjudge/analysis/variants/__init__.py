"""Several judges and models on the same labelled items: which one to use, and what it is worth."""

from .findings import CriterionVariants, Variant, Variants
from .variants import (
    MEASURES,
    VariantOptions,
    all_alike,
    effects_of,
    measure_for,
    statistic_of,
    variants_of,
)

__all__ = [
    "MEASURES",
    "CriterionVariants",
    "Variant",
    "VariantOptions",
    "Variants",
    "all_alike",
    "effects_of",
    "measure_for",
    "statistic_of",
    "variants_of",
]
