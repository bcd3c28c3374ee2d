"""Runs become findings: what a judge can be trusted with, and what differs between runs."""
