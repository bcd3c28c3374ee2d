"""Judging on a Ray cluster. Nothing here is imported unless `--engine ray` asks for it."""
