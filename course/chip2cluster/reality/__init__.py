"""The course's models beside published measurements that they were not fitted to.

A kind is a file of measurements (``data/measured``) and a predictor of the same name
(``reality/predictors``) that calls the public models. Each measurement has its source, date and
licence, or is refused. How near the predictions must be is the same for all kinds, wider for a
whole training; rows that a number was read off, and rows that are no measurement, do not count.
Misses stay, and what is not carried is listed.

>>> from chip2cluster import reality
>>> reality.errors()["count"] > 150
True
"""

from .baseline import constant
from .compare import counted, errors, fitted, in_band, kind, kinds, records, worst
from .coverage import extent
from .model import Band, Kind, LeftOut, Point, Publication, Row
from .shares import TrainingShares, training_shares
from .shown import Shown, shown
from .sources import Sources, sources
from .tables import about, accounting, left_out, misses, notes, points, reasons, set_aside, summary
from .unmeasured import unmeasured

__all__ = [
    "Band",
    "Kind",
    "LeftOut",
    "Point",
    "Publication",
    "Row",
    "Shown",
    "Sources",
    "TrainingShares",
    "about",
    "accounting",
    "constant",
    "counted",
    "errors",
    "extent",
    "fitted",
    "in_band",
    "kind",
    "kinds",
    "left_out",
    "misses",
    "notes",
    "points",
    "reasons",
    "records",
    "set_aside",
    "shown",
    "sources",
    "summary",
    "training_shares",
    "unmeasured",
    "worst",
]
