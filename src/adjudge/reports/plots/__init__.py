"""Findings as pictures: data in, SVG text out; one plot per file."""
