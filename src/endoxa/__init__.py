"""endoxa: culturally grounded stereotype measurement, from what people say to a defensible result.

The parts are separate packages (`endoxa.instruments`, `endoxa.engine`, `endoxa.models`, `endoxa.stats`); import the
one you need. This module stays empty so that starting is instant.
"""

from importlib.metadata import version

__version__ = version("endoxa")
