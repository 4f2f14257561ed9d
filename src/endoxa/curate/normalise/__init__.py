"""One name for one group, one form for one attribute; the raw text is kept beside."""
