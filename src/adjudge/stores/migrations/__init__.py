"""Named, append-only steps to today's tables. None of them imports code that may change."""
