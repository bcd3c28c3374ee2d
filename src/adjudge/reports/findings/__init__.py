"""Findings composed once: one module per finding gives its blocks in the language of the reader."""
