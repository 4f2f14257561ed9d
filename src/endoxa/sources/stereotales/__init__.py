"""Stories with the attributes that were read off them, in StereoTales' published columns (Le Jeune et al. 2026)."""
