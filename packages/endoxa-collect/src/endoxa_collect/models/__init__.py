"""What is stored. One module for each subject; a column that is not here is not kept.

Nobody's name, e-mail, address or device is stored for contributors. Times are exact in working data, where
cards expire and pace is measured, and rounded to the hour in exports.
"""

from endoxa_collect.models.campaign import *  # noqa: F403
from endoxa_collect.models.pairs import *  # noqa: F403
from endoxa_collect.models.records import *  # noqa: F403
from endoxa_collect.models.tasks import *  # noqa: F403
