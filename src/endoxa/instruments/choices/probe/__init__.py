"""From items to answers in a run folder."""
