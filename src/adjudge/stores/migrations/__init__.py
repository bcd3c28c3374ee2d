"""Named, append-only steps from every older store to today's tables."""
