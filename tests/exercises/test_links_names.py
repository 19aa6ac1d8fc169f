"""Slips of the chapter on links that are told by their name, written as a learner writes them."""

import math

import pytest

from autograder import check

pytestmark = pytest.mark.usefixtures("own_record")


def in_flight(message_bytes, bandwidth_one_way, latency, gap):
    return max(1, math.ceil(2 * latency / max(gap, message_bytes / bandwidth_one_way) - 1e-9))


def adapter(*, uses_up, reaches):
    """Play the steps; ``uses_up`` a buffer, ``reaches`` says whether a write may go to the region's very end."""

    def completions(region_bytes, steps):
        buffers, statuses, broken = [], [], False
        for kind, *numbers in steps:
            if kind == "receive":
                buffers.append(numbers[0])
                continue
            status = "flushed" if broken else "success"
            if status == "success" and kind == "send":
                room = (buffers.pop(0) if uses_up else buffers[0]) if buffers else None
                status = (
                    "receiver not ready" if room is None else status if numbers[0] <= room else "remote invalid request"
                )
            elif status == "success" and not (sum(numbers) <= region_bytes if reaches else sum(numbers) < region_bytes):
                status = "remote access error"
            broken = broken or status != "success"
            statuses.append(status)
        return statuses

    return completions


def by_tabs(text, one, other):
    lines = [line.split("\t") for line in text.splitlines()]
    row = next(line for line in lines[1:] if line[0] == one)
    return row[lines[0].index(other)].strip()


def every_word_that_begins_with_gpu(text):
    header = text.splitlines()[0].split()
    rows = {line.split()[0]: line.split()[1:] for line in text.splitlines()[1:] if line.strip()}
    names = [word for word in header if word.startswith("GPU")]
    links = {}
    for place, one in enumerate(names):
        for other in names[place + 1 :]:
            label = rows[one][header.index(other)]
            links[f"{one}-{other}"] = int(label[2:]) if label.startswith("NV") else 0
    most = max(links.values())
    return [pair for pair in links if links[pair] == most > 0]


@pytest.mark.parametrize(
    ("exercise_id", "answer", "says"),
    [
        ("links.connection", by_tabs, "`dgx1` on the page, has spaces instead"),
        ("links.best_pairs", every_word_that_begins_with_gpu, "The word GPU in that column is not a device"),
        ("links.crossing", lambda g, n, b: g * n * b / 4, "One way is half of link_both_ways"),
        ("links.crossing", lambda g, n, b: 8 * n * b / 2, "does not change with gpus_per_board"),
        ("links.pieces", lambda n, b, a: max(1, round(n / (a * b))), "pieces as large as n-half"),
        ("links.pieces", lambda n, b, a: max(1, round(math.sqrt(n / (a * b)))), "You rounded at the middle"),
        (
            "links.ranges",
            lambda n, a, b: [a[0] + n / b[1], a[1] + n / b[0], a[0] * b[1], a[1] * b[0]],
            "grows with both",
        ),
        ("links.effective", lambda n, b, a: n / (a + 8 * n / b), "bits in the denominator"),
        ("links.in_flight", in_flight, "You left out the time of the message itself"),
        ("links.completions", adapter(uses_up=False, reaches=True), "You used a buffer twice"),
        ("links.completions", adapter(uses_up=True, reaches=False), "ends exactly at the region's end"),
        ("links.completions", adapter(uses_up=True, reaches=True), "Every case agrees"),
        (
            "links.largest_cluster",
            lambda p, a, size, kb: (1000 * kb - 1) // size // (-(-p // a) * p) + 1,
            "exactly full",
        ),
    ],
)
def test_a_slip_is_told(exercise_id, answer, says):
    assert says in check(exercise_id, answer).message
