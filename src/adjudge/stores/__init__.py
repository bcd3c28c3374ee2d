"""Verdict → Run: what was judged is kept, so that it can be shown, exported and gone on with."""
