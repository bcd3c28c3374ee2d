"""Pure functions of arrays, one statistic per file: no disk, network or clock, and seeded chance.

The large parts of scipy are named in full where they are used (`scipy.stats.wilcoxon`): it loads
them then, which takes a second that most pages and commands can do without.
"""
