"""Several instruments and several runs: one set of associations measured in different ways, reproduction, release gates."""
