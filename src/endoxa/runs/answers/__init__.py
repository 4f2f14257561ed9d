"""What every reader of answers knows: plain text, clauses and refusals, by language."""
