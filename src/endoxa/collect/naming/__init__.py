"""Countries and languages: how each is called in a language, and which one somebody means by what they typed."""
