"""The course's models beside published measurements that they were not fitted to.

A kind is a file of measurements (``data/measured``) and a predictor of the same name
(``reality/predictors``) that calls the public models. Each measurement has its source, date and
licence, or is refused. How near the predictions must be is fixed for each kind before any
row is compared; rows that a number was read off do not count; misses stay.

>>> from chip2cluster import reality
>>> reality.errors()["count"] > 150
True
"""

from .compare import errors, fitted, in_band, kind, kinds, records, worst
from .model import Band, Kind, Point, Publication, Row
from .sources import Sources, sources
from .tables import about, misses, points, reasons, summary
from .unmeasured import unmeasured

__all__ = [
    "Band",
    "Kind",
    "Point",
    "Publication",
    "Row",
    "Sources",
    "about",
    "errors",
    "fitted",
    "in_band",
    "kind",
    "kinds",
    "misses",
    "points",
    "reasons",
    "records",
    "sources",
    "summary",
    "unmeasured",
    "worst",
]
