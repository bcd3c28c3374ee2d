"""Blocks shown: on a terminal, as Markdown, as one HTML file, on a web page."""
