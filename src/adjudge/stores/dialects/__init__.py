"""What really differs between databases: a module per database, with a `Database` of its own."""
