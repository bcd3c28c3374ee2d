"""The web pages and the HTTP API, on one port."""
