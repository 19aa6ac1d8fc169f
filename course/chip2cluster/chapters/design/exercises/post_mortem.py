"""Cause of most lost hours in a bad week, from its log."""

import re
from collections import Counter

from chip2cluster import capstone
from chip2cluster._validate import known
from chip2cluster.capstone.interruption_log import log_line
from chip2cluster.exercise import verdict_codes as v
from chip2cluster.exercise.input_generators import draw_until
from chip2cluster.exercise.model import Exercise, Group, Mistake

from ..mutants import MUTANTS

DAY, HOUR, NODES = 86400.0, 3600.0, 1024
CAUSES = ("lemon", "switch", "spares", "checkpoints", "restarts")
LINE = re.compile(r"day (\d+) (\d+):(\d+) \| nodes? (\d+)(?:-(\d+))? down \| lost ([\d.]+) h \| waited ([\d.]+) h \| restart ([\d.]+) h")  # fmt: skip


def post_mortem(log):
    """The cause to which most hours belong."""
    return _largest(_hours(log))


def _largest(hours):
    return max(CAUSES, key=lambda cause: hours[cause])


def _read(log):
    rows = []
    for line in log.splitlines():
        day, hour, minute, first, last, lost, waited, restart = known("line of the log", LINE.fullmatch(line)).groups()
        time = (int(day) - 1) * 24 + int(hour) + int(minute) / 60
        many = int(last) - int(first) + 1 if last else 1
        rows.append((time, int(first), many, float(lost), float(waited), float(restart)))
    return rows


def _hours(log, after=24.0, often=3, lemons=True, next_alone=False, whole=False, same_day=False, lemons_wait=False):
    rows, hours = _read(log), Counter(dict.fromkeys(CAUSES, 0.0))
    count = Counter(first for _, first, many, *_ in rows if many == 1)
    switches = [time for time, _, many, *_ in rows if many > 1]
    for place, (time, first, many, lost, waited, restart) in enumerate(rows):
        if lemons and many == 1 and count[first] >= often:
            hours["lemon"] += waited if lemons_wait else lost + waited + restart
            continue
        behind = many > 1 or any(0 <= time - struck < after for struck in switches)
        if next_alone:
            behind = many > 1 or (place > 0 and rows[place - 1][2] > 1)
        if same_day:
            behind = many > 1 or any(time // 24 == struck // 24 for struck in switches)
        if whole and behind:
            hours["switch"] += lost + waited + restart
            continue
        hours["switch" if behind else "spares"] += waited
        hours["checkpoints"] += lost
        hours["restarts"] += restart
    return hours


def _stop(generator, day, *, waited=0.0, nodes=()):
    """Row of the log: day of the week, nodes, hours lost, waited and of restart."""
    return [day, nodes or (int(generator.integers(NODES)),), 0.01, waited, 0.17]


def _week(generator, cause, tease=""):
    """Draw the log of a week whose hours belong to ``cause``, with some lines that look like ``tease``."""
    rows = [_stop(generator, float(generator.uniform(0, 7))) for _ in range(int(generator.integers(12, 20)))]
    for kind in (tease, cause):
        rows = _ADD[kind](generator, rows, kind == cause) if kind else rows
    rows.sort(key=lambda row: row[0])
    start = int(generator.integers(2, 40))
    lines = [log_line((start + row[0]) * DAY, row[1], *(hours * HOUR for hours in row[2:])) for row in rows]
    return {"log": "\n".join(lines)}


def _late(generator, rows, much):
    return [[*row[:2], float(generator.uniform(*((1.2, 4) if much else (0.2, 0.5)))), *row[3:]] for row in rows]


def _slow(generator, rows, much):
    return [[*row[:4], float(generator.uniform(1.1, 1.4) if much else 0.4)] for row in rows]


def _switch(generator, rows, much):
    group, when = int(generator.integers(NODES // 32)) * 32, float(generator.uniform(1, 5))
    broken = tuple(range(group, group + 32))
    if not much:
        return [*rows, _stop(generator, when, waited=float(generator.uniform(0, 2)), nodes=broken)]
    # The switch takes the spares: the next node that breaks stops the job until a repair ends.
    rows = [row for row in rows if not when < row[0] < when + 1]
    if generator.random() < 0.5:
        rows.append(_stop(generator, when, waited=24.0, nodes=broken))
    else:
        rows += [_stop(generator, when, nodes=broken), _stop(generator, when + 0.15, waited=20.0)]
    return [*rows, _stop(generator, (when - 1.5) % 7, waited=float(generator.uniform(0, 3)))]


def _short(generator, rows, much):
    for place in generator.choice(len(rows), 5, replace=False):
        if len(rows[place][1]) == 1:
            rows[place][3] = float(generator.uniform(5, 9) if much else generator.uniform(0.1, 0.4))
    return rows


def _lemon(generator, rows, much):
    bad = (int(generator.integers(NODES)),)
    waits = generator.uniform(3, 6, 6) if much else generator.uniform(0, 0.5, 2)
    return rows + [
        _stop(generator, 0.2 + 1.1 * place, waited=wait, nodes=bad) for place, wait in enumerate(waits.tolist())
    ]


_ADD = {"lemon": _lemon, "switch": _switch, "spares": _short, "checkpoints": _late, "restarts": _slow}


def _clear(inputs, cause):
    hours = _hours(inputs["log"])
    rest = [hours[other] for other in CAUSES if other != cause]
    return _largest(hours) == cause and hours[cause] > 1.3 * max(rest)


def _draw(generator, cause, tease=""):
    return draw_until(lambda inputs: _clear(inputs, cause), lambda: _week(generator, cause, tease))


# Day, what broke, hours lost, waited and of restart; a letter is a drawn node, `S` a switch.
EDGES = (
    # A node that comes back broken three times and costs little.
    ((0.4, "a", 0.1, 0.3, 0.2), (1.2, "b", 0.1, 6.0, 0.2), (2.1, "a", 0.1, 0.2, 0.2), (3.3, "c", 0.1, 5.0, 0.2), (4.6, "a", 0.1, 0.3, 0.2)),
    # One that breaks twice is no lemon yet.
    ((0.5, "a", 0.1, 6.0, 0.2), (2.0, "b", 0.2, 0.0, 0.2), (3.1, "a", 0.1, 7.0, 0.2), (5.0, "c", 0.1, 0.5, 0.2)),
    # Twenty hours after the switch its nodes are still away.
    ((1.0, "b", 0.1, 3.0, 0.2), (2.0, "S", 0.1, 0.5, 0.2), (2.83, "a", 0.1, 12.0, 0.2), (5.0, "c", 0.2, 1.0, 0.2)),
    # Not only the next line, but also the one after it.
    ((0.6, "d", 0.1, 4.0, 0.2), (2.0, "S", 0.1, 0.2, 0.2), (2.1, "a", 0.1, 0.3, 0.2), (2.4, "b", 0.1, 14.0, 0.2), (4.5, "c", 0.2, 0.0, 0.2)),
    # The 24 hours after a switch do not end at midnight.
    ((1.2, "b", 0.1, 4.0, 0.2), (2.8, "S", 0.1, 0.5, 0.2), (3.4, "a", 0.1, 9.0, 0.2), (5.0, "c", 0.2, 1.0, 0.2)),
    # A wait before the switch, on its own day.
    ((2.1, "a", 0.1, 11.0, 0.2), (2.6, "S", 0.1, 4.0, 0.2), (4.2, "b", 0.2, 0.5, 0.2), (5.0, "c", 0.1, 0.0, 0.2)),
    # A day and five hours after the switch its nodes are back.
    ((0.5, "b", 0.1, 3.0, 0.2), (2.0, "S", 0.1, 0.5, 0.2), (3.2, "a", 0.1, 8.0, 0.2), (5.0, "c", 0.1, 1.0, 0.2)),
    # A node that comes back broken takes work with it each time, and hardly a wait.
    ((0.4, "a", 2.5, 0.5, 0.3), (1.9, "a", 2.4, 0.5, 0.3), (2.8, "b", 0.1, 3.0, 0.2), (3.6, "a", 2.6, 0.4, 0.3), (5.0, "c", 0.2, 1.0, 0.2)),
    # Work lost after a switch is work since the last checkpoint, as always.
    ((0.3, "e", 3.0, 0.0, 0.2), (2.0, "S", 0.2, 1.0, 0.2), (2.2, "a", 3.1, 0.5, 0.2), (2.5, "b", 3.3, 0.5, 0.2), (2.9, "c", 3.0, 0.0, 0.2)),
)  # fmt: skip


def _edge(generator, rows):
    """Short log of these rows, with drawn nodes and a drawn first day."""
    start, group = int(generator.integers(2, 40)), 32 * int(generator.integers(NODES // 32))
    drawn = iter(generator.choice(NODES, 8, replace=False).tolist())
    names = sorted({who for _, who, *_ in rows})
    nodes = {who: tuple(range(group, group + 32)) if who == "S" else (next(drawn),) for who in names}
    return {"log": "\n".join(log_line((start + day) * DAY, nodes[who], *(one * HOUR for one in hours)) for day, who, *hours in rows)}  # fmt: skip


def _weeks(generator):
    # A switch breaks, spares replace its nodes, and the next node that breaks stops the job. A student sees this one.
    rows = [
        (3.05 * DAY, (17,), 36, 0, 612), (3.40 * DAY, tuple(range(480, 512)), 41, 0, 612),
        (3.45 * DAY, (274,), 49, 22.8 * HOUR, 612), (6.00 * DAY, (33,), 40, 0.5 * HOUR, 612),
    ]  # fmt: skip
    first = {"log": "\n".join(log_line(*row) for row in rows)}
    more = [
        *(_draw(generator, cause) for cause in CAUSES),
        _draw(generator, "switch"), _draw(generator, "switch", "checkpoints"), _draw(generator, "spares", "switch"),
        _draw(generator, "spares", "lemon"), _draw(generator, "restarts", "switch"), _draw(generator, "checkpoints", "lemon"),
        _draw(generator, "lemon", "spares"), _draw(generator, "checkpoints", "restarts"),
        *(_edge(generator, rows) for rows in EDGES),
    ]  # fmt: skip
    return [first, *(more[place] for place in generator.permutation(len(more)))]


def _counted(log):
    rows = _read(log)
    if any(many > 1 for _, _, many, *_ in rows):
        return "switch"
    count = Counter(first for _, first, *_ in rows)
    if max(count.values()) >= 3:
        return "lemon"
    return "spares" if any(row[4] > 1 for row in rows) else _largest(_hours(log))


def _any_lemon(log):
    count = Counter(first for _, first, many, *_ in _read(log) if many == 1)
    return "lemon" if max(count.values()) >= 3 else _largest(_hours(log))


def _longest(log):
    """Cause of the largest single number in the log."""
    rows = _read(log)
    best = max(((value, place, row) for row in rows for place, value in enumerate(row[3:])), key=lambda one: one[0])
    _, place, row = best
    return ("checkpoints", "switch" if row[2] > 1 else "spares", "restarts")[place]


POST_MORTEM = Exercise(
    id="design.post_mortem",
    title="The post-mortem",
    signature="post_mortem(log)",
    unit="",
    points=5,
    reference=post_mortem,
    shows=(post_mortem, capstone.run_log),
    groups=(Group("weeks", 1.0, _weeks, v.VALUE, advice="Add up hours by cause, in the order of the table; the largest sum is the answer."),),
    hints=(
        "Do not count lines: add up hours. Each hour of the log belongs to one of the five causes.",
        "First find nodes that are alone in three lines or more. In each other line the wait belongs to a switch if the line is a switch, or if a switch broke in the 24 hours before it.",
        "line.split(' | ') gives five parts: when, who, lost, waited and restart; the hours are the second word of the last three. The time in hours is 24 · day + hour + minute / 60.",
    ),
    solution="""
import re
from collections import Counter


def post_mortem(log):
    rows = []
    for line in log.splitlines():
        when, who, lost, waited, restart = line.split(" | ")
        day, hour, minute = map(int, re.findall(r"\\d+", when))
        hours = [float(re.search(r"[\\d.]+", part)[0]) for part in (lost, waited, restart)]
        rows.append((24 * day + hour + minute / 60, who, *hours))
    count = Counter(who for _, who, *_ in rows if who.startswith("node "))
    switches = [time for time, who, *_ in rows if who.startswith("nodes ")]
    total = Counter()
    for time, who, lost, waited, restart in rows:
        if count[who] >= 3:
            total["lemon"] += lost + waited + restart
            continue
        behind = any(0 <= time - struck < 24 for struck in switches)
        total["switch" if behind else "spares"] += waited
        total["checkpoints"] += lost
        total["restarts"] += restart
    return max(total, key=total.get)
""",
    explanation=(
        "The most frequent cause of interruptions is rarely the most expensive one. And the line with the longest wait names the node that broke last, not the reason why no spare was left: "
        "that reason is some lines above. A post-mortem that blames node 274 leads to the purchase of one node."
    ),
    meaning=lambda: (
        f"Each of the {len(CAUSES)} causes has its own remedy: a test before a node comes back, spares for a whole switch, more spares or faster repair, more frequent checkpoints, a faster restart. Only one of "
        "them would have helped in the chapter's bad week."
    ),
    mutants=MUTANTS["design.post_mortem"],
    mistakes=(
        Mistake("the most dramatic line", _counted, "You named the switch because one broke, or the lemon because one failed often. Add up the hours: a switch whose nodes had spares costs minutes."),
        Mistake("the longest line", _longest, "You took the line with the largest number. Look at what happened before it, and add up the many small ones."),
        Mistake("what struck last", lambda log: _largest(_hours(log, after=1e-6)), "You attributed a wait to the node that broke last. If a switch broke in the 24 hours before, it had taken the spares."),
        Mistake("no lemons", lambda log: _largest(_hours(log, lemons=False)), "You overlooked a node that comes back broken. A node that is alone in three lines or more is a cause of its own."),
        Mistake("any lemon", _any_lemon, "A node came back broken, but what did it cost? Add up its hours like those of every other cause."),
        Mistake("a lemon after two", lambda log: _largest(_hours(log, often=2)), "You counted a node that broke twice as a lemon. In a machine of a thousand nodes that happens to good nodes; take three lines or more."),
        Mistake("half a day", lambda log: _largest(_hours(log, after=12.0)), "You ended the switch's period too soon. Its nodes are away for 24 hours, and a node that breaks in that time makes the job wait because of it."),
        Mistake("two days", lambda log: _largest(_hours(log, after=48.0)), "You ended the switch's period too late. Its nodes are back after 24 hours; later waits have another cause."),
        Mistake("the same day", lambda log: _largest(_hours(log, same_day=True)), "You used the calendar day. The 24 hours begin with the switch: they continue after midnight, and waits before the switch do not belong to it."),
        Mistake("a lemon's waits alone", lambda log: _largest(_hours(log, lemons_wait=True)), "You counted only a lemon's waits. All hours of its lines belong to it, including lost work and restarts."),
        Mistake("the next line alone", lambda log: _largest(_hours(log, next_alone=True)), "You looked only at the line after the switch. All waits in the 24 hours after it belong to it."),
        Mistake("all hours behind a switch", lambda log: _largest(_hours(log, whole=True)), "You attributed lost work and restarts to the switch as well. A switch takes the spares, so only the waits after it belong to it."),
        Mistake("lines, not hours", lambda log: "switch" if "nodes" in log else "restarts", "You counted lines. Every interruption has a restart; add up what each cause cost."),
    ),
)  # fmt: skip
