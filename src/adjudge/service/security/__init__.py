"""Who may ask the service for what, and what it does not let through."""
