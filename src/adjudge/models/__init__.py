"""Prompt → Reply. One file a provider; `registry` finds them by name."""
