"""The sections of a report, one module each: a function from results to a `document.Section`."""
