"""Withdrawal, tombstones, retention."""
