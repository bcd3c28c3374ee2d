"""Findings composed once: a function per finding gives its blocks in the language of the reader.

`calibration`, `comparison`, `ranking`, `panel`, `cascade`, `repeats`, `probes` and `gates` are each
in the module of that name, with `SHAPES` for the encoder and rows for files; `trust.trust_lines`
says whether a judge may be used. `gathering.gather` finds out what a report tells, `overview` and
`run` tell what a run came to, `models` what a model can do.
"""
