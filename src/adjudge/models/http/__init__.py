"""HTTP/1.1 to one server, on asyncio and the parser of llhttp (docs/design/0007)."""
