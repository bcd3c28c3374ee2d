"""The web pages and the HTTP API, on one port.

`server.serve` listens, with `options.ServeOptions`; `app.create_app` says what is served where,
`middleware.install` what a request passes before that, in order, and `state.Service` is what all
requests share. `judging` judges one item at once, `jobs` runs many; `caches` keeps what takes
seconds, `observability` counts and logs, `connections` ends clients that keep us waiting.
Nothing is imported here: the command line loads a web framework only where it serves.
"""
