"""Item × judge × model → Verdict. `one` is the page to read first."""
