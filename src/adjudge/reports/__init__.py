"""Findings for people and programs: `findings/` composes each once out of `blocks.py`, `renderers/`
shows it on a terminal, as Markdown, as HTML or on a web page, `encode.py` writes it as JSON.
`report.py` is the report on a run, `files/` are exports, `plots/` are SVG."""
