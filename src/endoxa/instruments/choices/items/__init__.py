"""Items: built from associations, or read from published stimuli."""
