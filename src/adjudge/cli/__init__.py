"""The command `adjudge`: `main.main` runs it, `main.COMMANDS` lists the commands, and each module
has one or a few of them.

`flags` are the flags that mean the same everywhere, `sources` where those come from that were not
given, `settings_file` checks the settings file; `output` and `progress` are what commands print.
"""
