"""Pure functions of arrays, one statistic per file: no disk, network or clock, and seeded chance.

`stat.Stat` is what they give. Of one vector: `mean.mean`, `mean.share`, `mean.bounds`,
`samples.spread`. Of two: `agreement.agreement`, `correlation.kendall`, `kappa.cohen_kappa`,
`paired.paired_difference`, `paired.pairs_needed`, `unpaired.unpaired_difference`,
`position_bias.position_bias`, `random_draw.drawn_at_random`. Of several raters: `alpha.alpha`,
`raters.ceiling`, `combine.combine`, `alt_test.alternative_annotator_test`, `people.people_of`,
`label_noise.slips_of_numbers`. With labels of a few: `ppi.ppi_mean`, `rogan_gladen.rogan_gladen`,
`strata.stratified_mean`, `conformal.calibrate_scores`, `transport.transport`, `selective.select`.
Of systems: `bradley_terry.ranks`, `system_level.system_level`, `selection.choose`,
`length_control.length_controlled`. For all of them: `bootstrap.Resampling`,
`multiplicity.holm`, `sequential.sign_flip_p`.

The large parts of scipy are named in full where they are used (`scipy.stats.wilcoxon`): it loads
them then, which takes a second that most pages and commands can do without.
"""
