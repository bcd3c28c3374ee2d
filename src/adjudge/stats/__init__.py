"""Pure functions of arrays, one statistic a file: no disk, network or clock, and seeded chance."""
