"""Data in: a file of rows becomes a stream of items. One module a format."""
