"""The web pages and the HTTP API, on one port.

`server.serve` listens, with `options.ServeOptions`; `app.create_app` says what is served where,
`middleware` what a request passes before that, and `state.Service` is what all requests share.
Nothing is imported here: the command line loads a web framework only where it serves.
"""
