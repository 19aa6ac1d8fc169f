"""Pictures of a queue: a Gantt chart with reservations, and priorities over time."""

import re

import pytest

from chip2cluster import draw, scheduling
from chip2cluster.draw import palette, style
from chip2cluster.scheduling import Job, Preemption, simulate
from tests.pictures import geometry
from tests.tables import every_row

QUEUE = [Job(1, 0, 3, 60, 50), Job(2, 0, 4, 60), Job(3, 0, 1, 90), Job(4, 0, 1, 20), Job("9_1", 5, 2, 30)]
CHAPTER = [Job(1, 0, 4, 6), Job(2, 0, 4, 3), Job(3, 0, 8, 4), Job(4, 0, 2, 4, 2)]  # hours
LOG = scheduling.trace()


def recorded():
    series, users = {}, {}
    for one in scheduling.recorded_priorities():
        series.setdefault(f"{one.user} {one.job}", []).append((one.time_s, one.priority))
        users[f"{one.user} {one.job}"] = one.user
    return {"series": series, "groups": users, "title": "Carol used nothing, and is ahead of everybody"}


PICTURES = {
    **{policy: lambda policy=policy: draw.schedule(simulate(QUEUE, 4, policy)) for policy in ("fcfs", "easy")},
    **{
        f"{policy} at {time} s": lambda policy=policy, time=time: draw.schedule(simulate(QUEUE, 4, policy), at=time)
        for policy in ("sjf", "easy", "conservative", "conservative_compress")
        for time in (0, 10, 60, 300)
    },
    "candidate": lambda: draw.schedule(simulate(CHAPTER, 8, "easy"), at=3, candidate=4),
    "a log": lambda: draw.schedule(simulate(LOG.jobs[:200], 128, "easy"), subtitle="SDSC SP2"),
    "preempted": lambda: draw.schedule(
        simulate([Job(1, 0, 4, 100), Job(2, 4, 2, 8, qos=1)], 4, "easy", preemption=Preemption())
    ),
    "one node": lambda: draw.schedule(simulate([Job(1, 0, 1, 86400 * 9)], 1, "fcfs")),
    "cut": lambda: draw.schedule(simulate(QUEUE, 4, "fcfs"), until=30),
    "recorded": lambda: draw.priorities(**recorded()),
    "a point": lambda: draw.priorities({"1": [(0, 5)]}, title="One job"),
    "alike": lambda: draw.priorities({f"job {n}": [(0, 1000), (60, 1000 + n)] for n in range(12)}, title="Twelve jobs"),
}


@pytest.mark.sampled(10)
@pytest.mark.parametrize("narrow", [False, True], ids=["wide", "narrow"])
@pytest.mark.parametrize("name", PICTURES)
def test_they_can_be_read_and_described(name, narrow):
    drawn = PICTURES[name]()
    drawn = drawn.narrow if narrow else drawn
    assert geometry.unreadable(drawn.svg) == []
    scale = style.SMALLEST[drawn.width] / drawn.width
    assert geometry.problems(geometry.texts(drawn.svg), drawn.width, drawn.height, scale) == []
    assert drawn.width == (style.NARROW if narrow else style.WIDTH) and drawn.description.startswith(drawn.title)
    assert drawn.png()[:4] == b"\x89PNG"


@pytest.mark.parametrize("name", ["schedule", "priorities"])
def test_a_width_that_is_none_is_named(name):
    with pytest.raises(ValueError, match="width must be one of 600, 340; got 100"):
        getattr(draw, name)({"1": [(0, 1)]}, title="", width=100)


def test_text_on_a_pale_background_follows_the_theme():
    """In the dark a limit and a reservation are dark: what stands on them is not the ink for a full hue."""
    drawn = draw.schedule(simulate(QUEUE, 4, "easy"), at=10).svg
    assert re.findall(rf'<text[^>]*"{palette.ON}"[^>]*>(\w+)<', drawn) == ["4", "1"]  # what has run has a full hue


def test_job_in_two_pieces_has_its_number_in_each():
    """At 40 min jobs 1, 4 and 5 of the chapter have run for a while and have some of their limits left."""
    from chip2cluster import explore

    for at, pieces in (("40 min", {"1": 2, "2": 1, "4": 2}), ("70 min", {"1": 1, "7": 1, "5": 2})):
        picture = explore.queue(moment=at).current.picture
        words = [text.words for text in geometry.texts(picture.svg)]
        assert {job: words.count(job) for job in pieces} == pieces


def test_legend_of_a_queue_has_every_shade_of_what_ran():
    picture = draw.schedule(simulate(QUEUE, 4, "easy"), at=10)
    rects = re.findall(r'<rect x="([\d.]+)" y="([\d.]+)" width="6.0" height="12" fill="([^"]+)"', picture.svg)
    assert [fill for *_, fill in rects] == list(palette.BLUES)


def test_the_bars_cover_the_node_seconds():
    """Area of all bars over that of the field, one for one with the utilization but for the gaps between them."""
    schedule = simulate(QUEUE, 4, "easy")
    drawn = draw.schedule(schedule)
    bars = re.findall(r'<rect x="([\d.]+)" y="[\d.]+" width="([\d.]+)" height="([\d.]+)"', drawn.svg)
    area = sum((float(width) + 0.8) * (float(height) + 1) for _, width, height in bars)
    assert area / (522 * 4 * 30) == pytest.approx(schedule.metrics().utilization, rel=0.01)


def test_schedule_draws_a_candidate_on_free_nodes():
    """The chapter's job 4 would run for its whole limit on two of the four idle nodes, into the head's reservation."""
    schedule = simulate(CHAPTER, 8, "easy")
    drawn = draw.schedule(schedule, at=3, candidate=4)
    frames = re.findall(r'<polyline points="([^"]+)"[^>]*stroke-dasharray', drawn.svg)
    assert len(frames) == 2  # one in the field, one in the legend
    corners = [[tuple(map(float, point.split(","))) for point in frame.split()] for frame in frames]
    xs, ys = zip(*max(corners, key=lambda frame: max(frame)[0] - min(frame)[0]), strict=True)
    assert max(xs) - min(xs) == pytest.approx(522 * 4 / 10, abs=0.2)  # 4 of the 10 time units of the axis
    assert max(ys) - min(ys) == pytest.approx(2 * 27 - 1, abs=0.2)  # two rows of 216 / 8 px
    assert drawn.description.endswith("Dashed: job 4, if it started now, until 7 s.")
    assert "dasharray" not in draw.schedule(schedule, at=3).svg


@pytest.mark.parametrize("at, candidate, said", [(3, 1, "got 1"), (0, 4, "0 are free"), (None, 4, "waiting: none")])
def test_schedule_refuses_a_candidate_that_cannot_start(at, candidate, said):
    with pytest.raises(ValueError, match=said):
        draw.schedule(simulate(CHAPTER, 8, "easy"), at=at, candidate=candidate)


def test_a_moment_shows_who_waits_and_for_what():
    drawn = draw.schedule(simulate(QUEUE, 4, "easy"), at=10)
    assert drawn.title == "At 10 s: 3 jobs wait, 1 has a reservation"
    assert drawn.description.endswith("Waiting: 2, 3, 9_1. Reserved: job 2 at 60 s.")


def strokes(picture):
    """Polylines of jobs: shade, dash and shift of the dash, and their points in px from the top left."""
    found = re.findall(
        r'<polyline points="([^"]*)" fill="none" stroke="([^"]*)" stroke-width="2.2" stroke-opacity="1" ([^>]*)',
        picture.svg,
    )
    for points, shade, more in found:
        dash, shift = (re.search(rf'stroke-{name}="([^"]*)"', more) for name in ("dasharray", "dashoffset"))
        yield shade, dash and dash[1], -float(shift[1]) if shift else 0, [eval(point) for point in points.split()]


def test_lines_that_coincide_have_dashes_side_by_side():
    """Two jobs have one priority from 10 to 20 s: each line is whole where it is alone, and fills the other's gaps there."""
    series = {"a 1": [(0, 50), (10, 100), (20, 150)], "b 1": [(0, 10), (10, 100), (20, 200)]}
    groups = {name: name[0] for name in series}
    drawn = list(strokes(draw.priorities(series, title="Two", groups=groups, until=20, most=200)))
    assert {shade for shade, *_ in drawn} == {*palette.KINDS[:2]}
    level = [(shade, dash, shift, points) for shade, dash, shift, points in drawn if dash]
    assert sorted(
        (shade, dash, shift) for shade, dash, shift, _ in level if max(points[0] for points in _) > 500
    ) == sorted([(palette.KINDS[0], "6 12", 0), (palette.KINDS[1], "6 12", 9)])
    assert {points[0][0] for _, dash, _, points in drawn if not dash} >= {62.0}  # apart at first


def test_each_job_is_named_where_its_line_ends():
    from chip2cluster import explore

    picture = explore.priority().current.picture
    for drawn in (picture, picture.narrow):
        marks = dict(re.findall(r'<g data-row="([^"]*)"><polygon points="([^" ]*)', drawn.svg))
        leaders = re.findall(r'<polyline points="([^"]*)"[^>]*stroke-width="0.8"', drawn.svg)
        names = {text.words: text.corners for text in geometry.texts(drawn.svg) if text.words in marks}
        assert {"bob 3", "carol 2", "alice 4"} <= names.keys() == marks.keys()
        for name, corners in names.items():
            x, y = map(float, marks[name].split(","))
            ends = [[tuple(map(float, end.split(","))) for end in leader.split()] for leader in leaders]
            led = [there for here, there in ends if abs(here[0] - x) < 12 and abs(here[1] - y) < 12]
            near = [(x, y), *led]
            (left, top), (right, foot) = corners.min(axis=0), corners.max(axis=0)
            assert any(left - 20 <= a <= right + 20 and top - 20 <= b <= foot + 20 for a, b in near), name


def test_the_recording_starts_and_ends_as_slurm_printed():
    assert "carol 6: from 12,025 at 0 s to 12,225 at 101 s" in PICTURES["recorded"]().description


@every_row(
    "call, says",
    [
        (
            lambda: draw.schedule(simulate([Job(1, 0, 1, 1)], 129, "fcfs")),
            "128 nodes and 1 to 1500 runs, got 129 and 1",
        ),
        (lambda: draw.schedule(simulate([], 4, "fcfs")), "1 to 1500 runs, got 4 and 0"),
        (lambda: draw.priorities({}, title=""), "one to twelve jobs"),
        (lambda: draw.priorities({"1": []}, title=""), "with a point at least"),
        (
            lambda: draw.priorities(
                {str(n): [(0, 1)] for n in range(6)}, title="", groups={str(n): str(n) for n in range(6)}
            ),
            "markers for 5 users, got 6",
        ),
        (lambda: draw.priorities({"1": [(0, 1)]}, title="", groups={"2": "ann"}), "lacks 1"),
    ],
)
def test_what_cannot_be_drawn_is_named(call, says):
    with pytest.raises(ValueError, match=says):
        call()
