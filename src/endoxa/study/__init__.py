"""Several instruments on one set of associations; reproduction of published results; the gate for releases."""
