"""Join, consent, receipt, profile, language: the way in."""
