"""Who may ask the service for what, and what it does not let through.

`request_checks` and `headers` are middleware, which `service.middleware` puts in order. The checks
are made of `hosts`, `access`, `limits` and `csrf`; `tokens` and `sessions` tell who somebody is,
`request_head` what a request says about itself. Nothing is imported here: the command line uses
`tokens` alone, and need not load a web framework for that.
"""
