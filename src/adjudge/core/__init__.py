"""The nouns of adjudge: frozen, without any input or output."""
