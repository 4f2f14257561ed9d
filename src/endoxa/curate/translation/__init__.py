"""Translation of statements into the working language, only where it is asked for."""

from endoxa.curate.translation.backends import Translator, open_translator
from endoxa.curate.translation.run import Translated, translate_all

__all__ = ["Translated", "Translator", "open_translator", "translate_all"]
