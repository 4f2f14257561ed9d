"""First names in the place of groups: the same question, asked of people instead of nationalities."""
