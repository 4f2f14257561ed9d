"""The pages of organisers, moderators, reviewers and researchers."""
