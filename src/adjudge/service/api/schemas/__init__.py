"""The bodies of the API. Those of requests are checked by these; those of answers are described.

An answer is made from the store's own values and not checked again: a row of a verdict is the same
here as in every export.
"""
