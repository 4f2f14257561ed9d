"""Tables side by side: two editions of a survey, two versions of a set of pairs, or regions of one survey."""
