"""What changed between runs."""
