"""Settings of a campaign: each change is a new version."""
