"""From typed words to a pair: cleaning, keys, near-duplicates, flags, merging."""
