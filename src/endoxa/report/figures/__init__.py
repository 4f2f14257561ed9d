"""The figures of a report, one module each: a pure function from a frame to an Altair chart."""
