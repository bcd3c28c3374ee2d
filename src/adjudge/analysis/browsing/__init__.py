"""A run as arrays, so that a page about a hundred thousand verdicts is there at once."""
