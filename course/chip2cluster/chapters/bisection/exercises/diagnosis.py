"""Exercise on a diagnosis of congestion from counters: the place where packets wait."""

from chip2cluster.exercise import verdict_codes as v
from chip2cluster.exercise.model import Exercise, Group, Mistake

from ..mutants import MUTANTS
from .port_counters import CAUSES, UPLINKS, leaf, ports


def diagnose(counters):
    """Name what makes the exchanges below a leaf switch slow, from the counters of its ports."""
    return _name(counters)


def _name(counters, *, slower=True, down=True, column=3, full=0.95, order=("uplinks", "hosts"), some="hash"):
    rows = ports(counters)
    uplinks = [row for row in rows if row[0].startswith("spine")]
    speeds = [row[1] for row in uplinks if row[1] or down]
    if slower and min(speeds) < max(speeds):
        return "broken link"
    jammed = [row for row in rows if row[1] and row[column] >= full * row[1]]
    among = {
        "uplinks": [row for row in jammed if row[0].startswith("spine")],
        "hosts": [row for row in jammed if row[0].startswith("host")],
    }
    for kind in order:
        if among[kind]:
            return "in-cast" if kind == "hosts" else "thin spine" if len(among[kind]) == len(uplinks) else some
    return "nothing"


def _like(**changed):
    return lambda counters: _name(counters, **changed)


def _by_mean(counters):
    """Uplinks by their average."""
    found = _name(counters)
    if found != "hash":
        return found
    return "nothing"


def _all_speeds(counters):
    return "broken link" if len({row[1] for row in ports(counters)}) > 1 else _name(counters)


def _in_or_out(counters):
    """Whatever is full in any direction."""
    found, came = _name(counters), _name(counters, column=2, slower=False)
    return came if found == "nothing" else found


def _any_drops(counters):
    dropping = [row[0] for row in ports(counters) if row[4] > 0]
    if not dropping:
        return "nothing"
    hosts = [name for name in dropping if name.startswith("host")]
    return "in-cast" if hosts else "thin spine" if len(dropping) == UPLINKS else "hash"


# A wide way in, drops of last week, a port that pauses its senders, one with a little room, and two faults at once.
MISLEADING = (
    ("nothing", "full inwards"),
    ("nothing", "old drops"),
    ("hash", "no drops"),
    ("nothing", "nearly full"),
    ("hash", "in-cast"),
)


def _full_inwards(counters):
    """Uplinks by what comes in or goes out, hosts by what goes out."""
    uplinks = [row for row in ports(counters) if row[0].startswith("spine")]
    inwards = any(row[2] >= 0.95 * row[1] > 0 for row in uplinks)
    return "hash" if _name(counters) == "nothing" and inwards else _name(counters)


def _many_drops(counters):
    """A port is full that has dropped many."""
    dropping = [row[0] for row in ports(counters) if row[4] > 1000]
    uplinks = [name for name in dropping if name.startswith("spine")]
    if not dropping or _name(counters) == "broken link":
        return _name(counters) if dropping else "nothing"
    return "in-cast" if not uplinks else "thin spine" if len(uplinks) == UPLINKS else "hash"


def _leaves(generator):
    # One that needs a single look comes first: it is the one that a student sees.
    others = [cause for cause in CAUSES if cause != "thin spine"]
    order = ["thin spine", *generator.permutation(others), *generator.permutation(CAUSES), "hash"]
    drawn = [leaf(str(cause), generator) for cause in order]
    return drawn + [leaf(cause, generator, besides=besides) for cause, besides in MISLEADING]


def _down(generator):
    return [leaf("broken link", generator, at="down")]


DIAGNOSE = Exercise(
    id="bisection.diagnose",
    title="Where do the packets wait?",
    signature="diagnose(counters)",
    unit="",
    points=4,
    reference=diagnose,
    shows=(ports, diagnose),
    groups=(
        Group("leaf switches", 0.8, _leaves),
        Group(
            "an uplink that is down",
            0.2,
            _down,
            v.VALUE,
            advice="An uplink that is down shows the word down in place of its speed, and the other uplinks are full because of it: broken link.",
        ),
    ),
    hints=(
        "Packets wait where they leave the switch. Which ports are full on their way *out*, at 95 % of their own speed?",
        "First compare the speeds of the uplinks: one that differs is broken. Then count the full uplinks, then the full hosts.",
        "Speeds differ: broken link. All uplinks full: thin spine. Some: hash. None, but a host: in-cast. Else nothing.",
    ),
    solution="""
def diagnose(counters):
    uplinks, hosts = [], []
    for line in counters.splitlines()[2:]:
        port, to, speed, came, left, drops = line.split()
        speed = 0 if speed == "down" else float(speed)
        full = speed > 0 and float(left) >= 0.95 * speed
        (uplinks if to.startswith("spine") else hosts).append((speed, full))
    if len({speed for speed, full in uplinks}) > 1:
        return "broken link"
    jammed = [full for speed, full in uplinks]
    if all(jammed):
        return "thin spine"
    if any(jammed):
        return "hash"
    return "in-cast" if any(full for speed, full in hosts) else "nothing"
""",
    explanation=(
        "Packets queue at a port that sends as fast as it can. If all uplinks are full, there are too few of them for "
        "this traffic. If some are full and others idle, there is enough bandwidth, but the hash does not use it. If "
        "no uplink is full but the port of one host is, all senders send to that host, and no fabric helps. Each fault "
        "needs a different fix."
    ),
    meaning=lambda: (
        "More spine switches cure the first, queue pairs or spraying the second, spread receivers the third, a new "
        f"cable the fourth. With {UPLINKS} uplinks of which one is full, {UPLINKS - 1} are wasted; buying more would "
        "change little."
    ),
    mistakes=(
        Mistake(
            "what comes in",
            _like(column=2),
            "You looked at incoming traffic. A host that sends at full speed is healthy; packets wait where they leave the switch.",
        ),
        Mistake(
            "in or out",
            _in_or_out,
            "You called a port full because of its incoming traffic. A host that sends at full speed is healthy; packets wait where they leave the switch.",
        ),
        Mistake(
            "uplinks full inwards",
            _full_inwards,
            "You called an uplink full because of its incoming traffic. Packets that enter the rack have already passed it; they wait where they leave the switch.",
        ),
        Mistake(
            "many drops",
            _many_drops,
            "You went by the drops. They add up since last week, and a port that pauses its senders drops nothing; look at how "
            "full the port is now.",
        ),
        Mistake(
            "full below 95 %",
            _like(full=0.9),
            "You called a port full that has room. The page draws the line at 95 % of its speed.",
        ),
        Mistake(
            "hosts before uplinks",
            _like(order=("hosts", "uplinks")),
            "You checked the hosts before the uplinks. If two rows of the table hold, the first one is the answer.",
        ),
        Mistake(
            "speeds of all ports",
            _all_speeds,
            "You compared the speeds of all ports. Hosts may be slower than uplinks; a broken uplink differs from the others.",
        ),
        Mistake(
            "any full uplink is a thin spine",
            _like(some="thin spine"),
            "You called one full uplink a thin spine. The others have room: the bandwidth is there, and the hash does not use it.",
        ),
        Mistake(
            "mean of the uplinks",
            _by_mean,
            "You took the mean of the uplinks, or asked whether all are full. Everybody waits for the fullest one: look at each.",
        ),
        Mistake(
            "speeds unread",
            _like(slower=False),
            "You missed an uplink that came up at a lower speed. It is full at a quarter of what the others carry, and no hash "
            "is to blame.",
        ),
        Mistake(
            "any drops",
            _any_drops,
            "You went by drops above zero. A few packets are lost at every port in a week; look at how full the port is.",
        ),
        Mistake(
            "hosts left out",
            _like(order=("uplinks",)),
            "You never looked at the ports of the hosts. All senders may send to the same one.",
        ),
        Mistake(
            "in-cast for every cause",
            _like(slower=False, order=("hosts",)),
            "You never looked at the uplinks. If they are full, the packets wait there.",
        ),
        Mistake(
            "a port that is down left out",
            _like(down=False),
            "You skipped the uplink that is down. The others are full because of it: broken link.",
            share=0.8,
        ),
    ),
    mutants=MUTANTS["bisection.diagnose"],
)
