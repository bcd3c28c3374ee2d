"""What the service tells about itself: figures and lines, never texts, names or secrets."""
