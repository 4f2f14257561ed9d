"""Building: from associations to items that models are probed with."""
