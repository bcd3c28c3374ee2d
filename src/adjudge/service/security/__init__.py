"""Who may ask the service for what, and what it does not let through.

`request_checks.RequestChecks` is the middleware. It is made of `hosts.Hosts`, `access.Access` with
`TokenCache` and `SignIn`, `limits.RateLimiter` and `BodyLimits`, and `csrf.CsrfTokens`. Routes
depend on `access.READ`, `JUDGE` or `ADMIN`. `tokens` makes tokens and `Sessions`,
`request_head.RequestHead` is what a request says about itself. Nothing is imported here: the
command line uses `tokens` alone, and need not load a web framework for that.
"""
