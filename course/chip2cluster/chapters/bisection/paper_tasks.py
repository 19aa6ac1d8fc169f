"""Tasks on paper about bisection bandwidth: printed claims, cuts, packed and scattered jobs."""

from chip2cluster.exercise.paper_task import Choice, Number, PaperTask, Step

TASKS = (
    PaperTask(
        exercise="lab.bisection.convention",
        title="Which direction did they count?",
        text="A vendor prints a bisection bandwidth of {printed_tbytes}. You count {links} links across the narrowest cut, each with {link_gbytes} in "
        "each direction. Does the printed figure count one way, both ways, or neither, if 10 % of difference are allowed?",
        given={
            "printed_tbytes": Number("TB/s", 1, 80),
            "links": Number("", values=(32, 64, 72, 128, 144, 256, 512), whole=True),
            "link_gbytes": Number("GB/s", values=(25, 50, 100)),
        },
        judges=True,
        words=("one way", "both ways", "neither"),
        plausible=lambda x: 0.85 < x.printed_tbytes / (x.links * x.link_gbytes / 1e3) < 2.3,
        steps=(
            Step("links times rate, one direction", 0.4, lambda x: x.links * x.link_gbytes / 1e3, "TB/s"),
            Step("twice that, both directions", 0.2, lambda x: x.links * x.link_gbytes / 500, "TB/s"),
            Step(
                "the one within 10 % of the printed figure",
                0.4,
                lambda x: next(
                    (
                        word
                        for word, ways in (("one way", 1), ("both ways", 2))
                        if abs(x.printed_tbytes / (ways * x.links * x.link_gbytes / 1e3) - 1) <= 0.1
                    ),
                    "neither",
                ),
            ),
        ),
    ),
    PaperTask(
        exercise="bisection.one_way",
        title="Bisection for each device",
        text="A printed bisection bandwidth of {printed_tbytes} for {devices} accelerators counts {counts}. How much of it, in one direction, is "
        "there for each of the {devices} accelerators?",
        given={
            "printed_tbytes": Number("TB/s", 2, 130),
            "counts": Choice({"both ways": "both directions", "one way": "one direction"}),
            "devices": Number("", values=(32, 64, 72, 256, 512, 1024), whole=True),
        },
        unit="GB/s",
        per=1e9,
        plausible=lambda x: 10 < 1e3 * x.printed_tbytes / x.devices < 900,
        steps=(
            Step(
                "one direction: half if both are counted",
                0.5,
                lambda x: x.printed_tbytes / (2 if x.counts == "both ways" else 1),
                "TB/s",
            ),
            Step(
                "over the accelerators",
                0.5,
                lambda x: 1e3 * x.printed_tbytes / (2 if x.counts == "both ways" else 1) / x.devices,
                "GB/s",
            ),
        ),
    ),
    PaperTask(
        exercise="bisection.blame_range",
        title="Is the placement to blame?",
        text="A training job is moved from one rack to several. Its throughput falls to between {throughput_low} and {throughput_high} of what it was. "
        "A network test says that messages take between {slowdown_low} and {slowdown_high} as long as before. Assume that computation takes "
        "as long as before and does not overlap with messages. Between which two shares of the original step time were messages? The "
        "profiler showed a share of 25 % before: can the placement alone explain the loss?",
        given={
            "throughput_low": Number("%", 40, 70, per=0.01),
            "throughput_high": Number("%", 50, 88, per=0.01),
            "slowdown_low": Number("times", 2, 5),
            "slowdown_high": Number("times", 3, 8),
        },
        inputs=lambda x: {
            "throughput": [x.throughput_low, x.throughput_high],
            "slowdown": [x.slowdown_low, x.slowdown_high],
        },
        judges=True,
        judgement="Possible if 25 % lies in the interval, not possible if it does not.",
        unit="%",
        per=0.01,
        plausible=lambda x: (
            1.05 < x.throughput[1] / x.throughput[0] < 1.5
            and 1.1 < x.slowdown[1] / x.slowdown[0] < 2
            and (1 / x.throughput[0] - 1) / (x.slowdown[0] - 1) < 0.95
        ),
        steps=(
            Step(
                "growth of the step: 1 over throughput, less 1, at both ends",
                0.4,
                lambda x: [100 / x.throughput[1] - 100, 100 / x.throughput[0] - 100],
                "%",
            ),
            Step(
                "over the slowdown less 1: least growth with most slowdown, then the reverse",
                0.6,
                lambda x: [
                    100 * (1 / x.throughput[1] - 1) / (x.slowdown[1] - 1),
                    100 * (1 / x.throughput[0] - 1) / (x.slowdown[0] - 1),
                ],
                "%",
            ),
        ),
    ),
)
