"""Pages of the settings. Each change makes a new version."""
