"""One file a command; `main` finds them and turns errors into exit codes."""
