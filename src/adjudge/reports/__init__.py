"""Findings for people and programs, composed once and shown everywhere.

`findings/` composes each out of `blocks`, with `words.Words` in the reader's language and
`figures`; `renderers/` shows the blocks; `encode.encode` writes the finding itself as JSON.
`report` is the report on a run or two, `files/` are exports, `plots/` are SVG.
"""
