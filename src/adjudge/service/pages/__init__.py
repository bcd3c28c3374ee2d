"""The web pages: a module per page with its `router`, and a `*_view` with what its template shows.

`rendering.page` fills a template in, in the language of `language_of`; `filters.FILTERS` are those
of the templates; `plots.plot_response` is the one way to an image.
"""
