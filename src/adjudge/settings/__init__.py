"""What the user has written down in advance: a settings file and `.env`."""
