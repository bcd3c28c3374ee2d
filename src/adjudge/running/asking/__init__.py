"""One question on its way to a model: cache, retries, budget, limits."""
