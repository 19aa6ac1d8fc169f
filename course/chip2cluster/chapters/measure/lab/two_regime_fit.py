"""Task on a two-regime fit: two lines, and the message size at which the second one begins."""

import numpy as np

from chip2cluster.exercise import verdict_codes as v
from chip2cluster.exercise.input_generators import draw_until
from chip2cluster.exercise.model import Exercise, Group, Mistake
from chip2cluster.measure import fit_regimes

from .weighted_fit import weighted

LEAST = 3


def two_lines(sizes, seconds):
    """First size of the large messages, then latency and bandwidth of the small ones and of the large."""
    fit = fit_regimes(sizes, seconds, 2)
    small, large = fit.small, fit.large
    return [
        fit.boundary_bytes,
        small.collective_latency,
        small.algorithm_bandwidth,
        large.collective_latency,
        large.algorithm_bandwidth,
    ]


def brute(sizes, seconds, least=LEAST, power=2.0, loss=lambda off, seconds: off / seconds, falls=False):
    """The same by trying, with other rules."""
    best, told = np.inf, []
    for start in range(least, len(sizes) - least + 1):
        parts = slice(None, start), slice(start, None)
        lines = [weighted(sizes[part], seconds[part], power) for part in parts]
        off = np.concatenate(
            [line[0] + sizes[part] / line[1] - seconds[part] for line, part in zip(lines, parts, strict=True)]
        )
        if not falls and min(line[1] for line in lines) < 0:  # no bandwidth
            continue
        if (cost := float(np.sum(loss(off, seconds) ** 2))) < best:
            best, told = cost, [float(sizes[start]), *lines[0], *lines[1]]
    return told


def jump(generator, count, change=None):
    """Times of a message whose protocol changes at one of the sizes."""
    sizes = 8.0 * 2.0 ** np.arange(count)
    change = int(generator.integers(4, count - 4)) if change is None else change
    alpha, beta = 10 ** generator.uniform(-6.2, -5.2), 10 ** generator.uniform(9.3, 10.3)
    small = alpha + sizes / (beta * generator.uniform(0.3, 0.8))
    large = alpha * generator.uniform(2.5, 6) + small[change] + sizes / beta
    times = np.where(np.arange(count) < change, small, large) * generator.uniform(0.93, 1.07, count)
    return {"sizes": sizes, "seconds": np.array([float(f"{time:.4g}") for time in times])}


def _clear(case):
    """Whether trying all boundaries, also those without a bandwidth, finds what the reference does."""
    try:
        return np.allclose(brute(**case), two_lines(**case), rtol=1e-6) and min(two_lines(**case)) > 0
    except ValueError:
        return False


def _apart(generator):
    """A case whose two smallest messages alone lie apart, as where the first ones were not warmed up."""
    sizes = 256.0 * 2.0 ** np.arange(11)
    times = 10 ** generator.uniform(-6.2, -5.7) + sizes / 10 ** generator.uniform(9.3, 10)
    times = times * generator.uniform(0.97, 1.03, 11)
    times[:2] = times[0] * generator.uniform(1.6, 2.0) * np.array([1.0, 1.1])
    return {"sizes": sizes, "seconds": np.array([float(f"{time:.4g}") for time in times])}


def _tempting(case):
    """Whether a line through two sizes would be taken, and another one that falls, if they were allowed."""
    right, short, falling = brute(**case), brute(**case, least=2), brute(**case, falls=True)
    return bool(short and right) and len({right[0], short[0], falling[0]}) == 3 and _clear(case)


def _easy():
    """A microsecond and then four, and each thousand bytes half a microsecond or one: it is the one that a student sees."""
    sizes = 1000.0 * np.array([1, 2, 3, 10, 20, 40])
    return {"sizes": sizes, "seconds": 1e-6 * np.array([2.0, 3, 4, 9, 14, 24])}


def _runs(generator):
    drawn = [draw_until(_clear, lambda count=count: jump(generator, count)) for count in (12, 14, 18)]
    return [_easy(), *drawn, draw_until(_tempting, lambda: _apart(generator))]


def _edges(generator):
    return [draw_until(_clear, lambda change=change: jump(generator, 12, change)) for change in (3, 9)]


TWO_LINES = Exercise(
    id="lab.measure.two_lines",
    title="Fit two lines",
    signature="two_lines(sizes, seconds)",
    unit="[bytes, s, bytes/s, s, bytes/s]",
    graded=True,
    points=5,
    tolerance=2e-3,
    reference=two_lines,
    groups=(
        Group("runs", 0.8, _runs),
        Group("edges", 0.2, _edges, advice="The second line may begin at the fourth size, and may have only three sizes."),
    ),
    hints=(
        "You have a function that fits one line. Which sizes would you give it if you knew where the second line begins?",
        "Try every size as the first large one, as long as each side has three. For each, fit both sides and add the squares of all relative errors; keep the best.",
        "Loop over the positions where the large sizes may begin, from the fourth size on, and call your function on both sides. The boundary is the size at the best position.",
    ),
    explanation="Where a library changes its protocol, a message gets another latency and another bandwidth. One line through both is wrong nearly everywhere.",
    mistakes=(
        Mistake("lines of two sizes", lambda sizes, seconds: brute(sizes, seconds, least=2), "You allow a line of two sizes, which always fits exactly. Leave three on each side."),
        Mistake("β below zero", lambda sizes, seconds: brute(sizes, seconds, falls=True), "One of your β is below zero, so longer messages would take less time. Skip such a boundary and take the best of the others."),
        Mistake("last small size", lambda sizes, seconds: _changed(sizes, seconds, lambda told: [_before(sizes, told[0]),
                *told[1:]]), "Your boundary is the last small size. Return the first large one."),
        Mistake("boundary by seconds", lambda sizes, seconds: brute(sizes, seconds, loss=lambda off, seconds: off), "You chose the boundary by squares of errors in seconds, so the largest message decides. Divide every error by its time first."),
        Mistake("lines by seconds", lambda sizes, seconds: brute(sizes, seconds, power=0.0), "You fitted your two lines to errors in seconds. Minimize the relative errors on each side."),
        Mistake("the largest difference", lambda sizes, seconds: _at(sizes, seconds, LEAST + int(np.argmax(np.diff(np.asarray(seconds)
                [LEAST - 1 : len(sizes) - LEAST + 1])))), "You took the largest difference of two times as the boundary. Large messages differ most because they are large: try every boundary, and compare the errors."),
        Mistake("in the middle", lambda sizes, seconds: _at(sizes, seconds, len(sizes) // 2), "You split the sizes in the middle. Try every boundary.", ),
        Mistake("sides swapped", lambda sizes, seconds: _changed(sizes, seconds, lambda told: [told[0], *told[3:], *told[1:3]]),
                "Your lines are in the wrong order: small messages first."),
        Mistake("slopes", lambda sizes, seconds: _changed(sizes, seconds, lambda told: [told[0], told[1], 1 / told[2], told[3],
                1 / told[4]]), "You return seconds per byte. β is bytes a second: invert both.", v.UNIT),
        Mistake("one line twice", lambda sizes, seconds: [_changed(sizes, seconds, lambda told: told)[0],
                *weighted(sizes, seconds), *weighted(sizes, seconds)], "Both of your lines are fitted to all sizes. Fit each to its own side."),
    ),
)  # fmt: skip


def _changed(sizes, seconds, change):
    return change(brute(sizes, seconds))  # as the reference, and quicker


def _before(sizes, boundary):
    return float(max(size for size in np.asarray(sizes).tolist() if size < boundary))


def _at(sizes, seconds, start):
    small, large = (weighted(sizes[part], seconds[part]) for part in (slice(None, start), slice(start, None)))
    return [float(sizes[start]), *small, *large]
