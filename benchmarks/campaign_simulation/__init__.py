"""Simulated campaigns: the sampler and its rivals with simulated contributors."""
