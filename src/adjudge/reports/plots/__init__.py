"""Findings as pictures: SVG text.

`charts` draws findings in the reader's language with `distribution_plot`, `interval_plot` and those
like it, `confusion_plot` and `scatter_plot`. Those draw on a `sheet.Sheet`, which matplotlib fills
and `svg.finish_svg` makes fit for pages.
"""
