"""The sampler against simulated contributors."""
