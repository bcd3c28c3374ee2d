"""Judged texts that try to set their own score, and two ways to measure whether they can."""
