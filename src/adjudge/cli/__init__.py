"""One file per command; `main` finds them and turns errors into exit codes."""
