"""Translation of statements into the working language, only where it is asked for."""

from endoxa.curate.translation.backends import Translated, Translator, open_translator, translate_all

__all__ = ["Translated", "Translator", "open_translator", "translate_all"]
