"""Helpers of the tests that compare models with measurements."""

from pathlib import Path

import chip2cluster
from chip2cluster import reality

PACKAGE = Path(chip2cluster.__file__).parent
KINDS = reality.kinds()


def held_out(kind):
    return [point for point in reality.records(kind.name) if point.row.counts]
