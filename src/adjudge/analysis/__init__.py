"""Runs become findings: what a judge can be trusted with, and what differs between runs.

`scores.read_scores` is the way from a run to arrays; the findings are made by
`calibration.calibrate_run`, `disagreement.disagreements_of`, `variants.variants_of`,
`improvement.improve`, `comparison.compare_runs`, `ranking.rank_run`, `panel.panel_of`,
`cascade.cascade_of`, `gates.parse_gates`, `probing.Probed`, `drift.drift_of`,
`labelling.open_session` and `browsing.RunIndex`.
"""
