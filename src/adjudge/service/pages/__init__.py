"""The pages: one file a page, each with its routes and what its template is given."""
