"""Questions on how near the models come to measurements."""

from chip2cluster import reality
from chip2cluster.predict.question import Question


def _nine_in_ten():
    return reality.errors()["nine_in_ten"]


def _why_nine_in_ten(truth):
    found, extent = reality.errors(), reality.extent()
    missed = extent["kinds"] - extent["in_band"]
    return (
        f"Half of the {found['count']:,} forecasts are within a factor of {found['median_factor']:.2f}, nine in ten "
        f"within {truth:.2f}, and the worst is off by {found['worst_factor']:.1f}. The kinds differ: rings in a node are right "
        f"to some percent, and {missed} of {extent['kinds']} kinds miss what was asked of them. Which, and why, is what "
        "this page shows."
    )


QUESTIONS = (
    Question(
        "reality.nine_in_ten",
        "Over a thousand forecasts of this course's models, from one link to sixteen thousand chips, are compared"
        " with published measurements, none of them fitted. By which factor, up or down, are nine in ten off at "
        "most?",
        "times", _nine_in_ten, _why_nine_in_ten,
    ),
)  # fmt: skip
