"""Validation of the models against published measurements that they were not fitted to.

A kind is a file of measurements (``data/measured``) and a predictor of the same name
(``reality/predictors``) that calls the public models. Each measurement has its source, date and
licence, or is rejected. The tolerance is the same for all kinds, wider for a whole training run; rows used for
fitting, and rows that are not measurements, do not count. Failed predictions are kept, and omitted rows are listed.

`expected` gives the expected time of a kernel, a collective or a step beside its bound, with an interval
(``reality/expectation``): `expected_seconds`, `expected_interval`, `expected_keys`. The constants of its laws are frozen
(`expected_version`). ``python -m chip2cluster.reality score FILE.csv`` compares the laws with any table of measurements.

>>> from chip2cluster import reality
>>> reality.errors()["count"] > 150
True
"""

from .baseline import constant
from .blind_forecasts import blind
from .comparison import counted, errors, fitted, in_band, kind, kinds, records, worst
from .coverage import extent
from .expectation import (
    Expected,
    Key,
    expected,
    expected_interval,
    expected_keys,
    expected_seconds,
    expected_version,
    fewest_chips,
)
from .published_mfu import TrainingShares, training_shares
from .sources import Sources, sources
from .table_view import Shown, shown
from .tables import about, accounting, left_out, misses, notes, points, reasons, set_aside, summary
from .unmeasured_models import unmeasured
from .validation_model import Band, Kind, LeftOut, Point, Publication, Row

__all__ = [
    "Band",
    "Expected",
    "Key",
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
    "blind",
    "constant",
    "counted",
    "errors",
    "expected",
    "expected_interval",
    "expected_keys",
    "expected_seconds",
    "expected_version",
    "extent",
    "fewest_chips",
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
