"""Findings out: verdict rows and pages. One module a format."""
