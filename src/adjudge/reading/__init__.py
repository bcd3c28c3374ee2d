"""Reply → Scores. Pure functions: the same text always reads the same."""
