"""What the user has written down beforehand: a settings file and `.env`."""
