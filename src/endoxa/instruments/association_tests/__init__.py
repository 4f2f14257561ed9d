"""Association tests (WEAT, SEAT): which of two attribute sets an encoder places nearer to a group."""
