"""Files that are copied into exported folders. They stand alone: nothing of endoxa is imported in them."""
