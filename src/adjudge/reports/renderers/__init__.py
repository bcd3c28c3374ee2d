"""Blocks shown: `terminal.as_text`, `markdown.as_markdown`, `html.as_html` for one file that can be
mailed, `page.PageRenderer` on a web page."""
