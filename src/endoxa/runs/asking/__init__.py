"""Asking chat models many things: every raw answer is kept, and each job is answered exactly once."""
