"""The web pages: a module per page with its routes, and a `*_view` with what its template shows.

`rendering` fills the templates in, `filters` are theirs, `language` tells the reader's language.
"""
