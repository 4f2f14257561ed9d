"""The pages of contributors: join, consent, profile, cards, survey, thanks, leaving."""
