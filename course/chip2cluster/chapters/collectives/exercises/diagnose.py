"""Why is this all-reduce slow?"""

from chip2cluster.exercise import verdict_codes as v
from chip2cluster.exercise.model import Exercise, Group, Mistake

from ..mutants import MUTANTS
from .evidence import CAUSES, GPUS, HEALTHY, OLDER, rows, run

PROTOCOL = "NCCL_PROTO set by environment to"


def diagnose(table, log, healthy):
    """Name what makes an all-reduce of two nodes slow, from nccl-tests' table and NCCL's log."""
    start, bus = rows(table)
    if start <= 1.5 * healthy["start"] and bus[-1] >= 0.85 * healthy["busbw"]:
        return "nothing"
    return _by_log(log) or "late rank"


def _by_log(log):
    if "Using network Socket" in log:
        return "sockets"
    if len({word for word in log.split() if "]mlx5_" in word}) < GPUS:
        return "adapters"
    if "GDRDMA" not in log:
        return "host memory"
    return "settings" if f"{PROTOCOL} LL." in log else ""


def _like(slow=None, by_log=_by_log, rest="late rank"):
    """The same with a rule changed: which rows are asked, what the log is searched for, and what is left at the end."""

    def wrong(table, log, healthy):
        start, bus = rows(table)
        sick = (
            (start > 1.5 * healthy["start"] or bus[-1] < 0.85 * healthy["busbw"])
            if slow is None
            else slow(start, bus, healthy)
        )
        return (by_log(log) or rest) if sick else "nothing"

    return wrong


def _last(start, bus, healthy):
    return bus[-1] < 0.85 * healthy["busbw"]


def _first(start, bus, healthy):
    return start > 1.5 * healthy["start"]


def _either(start, bus, healthy):
    return _first(start, bus, healthy) or _last(start, bus, healthy)


def _but(*unseen):
    """The log read without seeing some of what it says."""
    return lambda log: "" if (found := _by_log(log)) in unseen else found


def _protocol(word):
    """The log read with another idea of which line forces the protocol."""
    return lambda log: _but("settings")(log) or ("settings" if word in log else "")


def _always_settings(log):
    found = _by_log(log)
    return found if found in ("sockets", "adapters", "host memory") else "settings"


def _runs(generator):
    # One that needs a single look comes first: it is the one that a student sees.
    others = [cause for cause in CAUSES if cause != "sockets"]
    drawn = [run(str(cause), generator) for cause in ["sockets", *generator.permutation(others)]]
    drawn += [run(str(cause), generator, healthy=OLDER) for cause in generator.permutation(CAUSES)]
    # Settings that change no rate, and a log that looks bad while both rows are well.
    return [
        *drawn,
        run("nothing", generator, protocol="Simple"),
        run("late rank", generator, protocol="Simple"),
        run("late rank", generator, protocol="LL128", healthy=OLDER),
        run("nothing", generator, logged="host memory"),
    ]


def _more(generator):
    # Six of eight adapters, and a rank so late that long messages are slow as well.
    return [run("adapters", generator, adapters=6), run("late rank", generator, later=40.0)]


DIAGNOSE = Exercise(
    id="collectives.diagnose",
    title="Why is this all-reduce slow?",
    signature="diagnose(table, log, healthy)",
    unit="",
    points=4,
    reference=diagnose,
    shows=(rows, diagnose),
    groups=(
        Group("runs", 0.8, _runs),
        Group(
            "less and later",
            0.2,
            _more,
            v.VALUE,
            advice="Six adapters are fewer than eight GPUs, too. And a rank that is very late makes the long messages slow "
            "as well: with nothing in the log, it is the late rank.",
        ),
    ),
    hints=(
        "Does the table show anything at all? Compare the first row's time and the last row's busbw with what is healthy.",
        "If it does, go down the table of the page: the first line that the log fits is the cause.",
        "'Using network Socket' in log; fewer than eight of ']mlx5_'; no 'GDRDMA'; 'NCCL_PROTO set by environment to LL.', dot included, for LL128 is another protocol; else the late rank.",
    ),
    solution="""
def diagnose(table, log, healthy):
    rows = [line.split() for line in table.splitlines() if not line.startswith("#")]
    start, bus = float(rows[0][5]) * 1e-6, float(rows[-1][7]) * 1e9
    if start <= 1.5 * healthy["start"] and bus >= 0.85 * healthy["busbw"]:
        return "nothing"
    if "Using network Socket" in log:
        return "sockets"
    if log.count("]mlx5_") < 8:
        return "adapters"
    if "GDRDMA" not in log:
        return "host memory"
    if "NCCL_PROTO set by environment to LL." in log:  # with the dot: LL128 is another protocol
        return "settings"
    return "late rank"
""",
    explanation=(
        "The log tells what the library took: which network, how many adapters, straight from the GPU's memory or not, and "
        "what somebody forced. The table tells which messages suffer. A rank that comes late adds the same time to every size, "
        "so only short messages show it, and no line of the log does."
    ),
    meaning=lambda: (
        f"Of a healthy {HEALTHY['busbw'] / 1e9:.0f} GB/s one adapter in place of eight leaves "
        f"{HEALTHY['busbw'] / 8e9:.0f} GB/s, a slowdown that no change to the model cures. Keep NCCL's log of a good day: "
        "two logs side by side are the quickest diagnosis there is."
    ),
    mistakes=(
        Mistake(
            "any socket",
            _like(by_log=lambda log: "sockets" if "socket" in log.lower() else ""),
            "You found sockets in every log. The bootstrap, by which the ranks find each other, uses one always, and so do eth0 "
            "and NCCL_SOCKET_IFNAME. Which network the data takes is in the line 'Using network …'.",
        ),
        Mistake(
            "every setting is to blame",
            _like(by_log=_always_settings),
            "You blame whatever was set by the environment. An interface or a timeout slows no bytes; NCCL_PROTO does, when it "
            "forces the protocol for short messages.",
        ),
        Mistake(
            "any forced protocol",
            _like(by_log=_protocol(PROTOCOL)),
            "You blame NCCL_PROTO whatever it is set to. LL slows long messages; Simple is what they take anyway. Read the value.",
        ),
        Mistake(
            "LL128 for LL",
            _like(by_log=_protocol(f"{PROTOCOL} LL")),
            "You took LL128 for LL: the one begins with the other. LL128 leaves 92 % of the wire, LL half of it.",
        ),
        Mistake(
            "the log before the rows",
            lambda table, log, healthy: _by_log(log) or ("late rank" if _either(*rows(table), healthy) else "nothing"),
            "You read the log before the rows. Where both rows are as they should be it is 'nothing', whatever the log says.",
        ),
        Mistake(
            "the healthy values of one machine",
            _like(slow=lambda start, bus, healthy: _either(start, bus, HEALTHY)),
            "You wrote the healthy values of the run above into your code. Another machine has others: take them from healthy.",
        ),
        Mistake(
            "the last row alone",
            _like(slow=_last),
            "You never find a late rank: you asked the last row alone, or the log alone. A rank that comes late adds the same to "
            "every size, so it shows in the first row.",
        ),
        Mistake(
            "the first row alone",
            _like(slow=_first),
            "You asked the first row alone. Missing adapters, host memory and a forced protocol leave short messages as they "
            "were; look at busbw of the last row, too.",
        ),
        Mistake(
            "late before the log",
            lambda table, log, healthy: "late rank" if _first(*rows(table), healthy) else _like()(table, log, healthy),
            "You called every slow start a late rank. Sockets start slowly as well: read the log first.",
        ),
        Mistake(
            "adapters not counted",
            _like(by_log=_but("adapters")),
            "You missed the runs with too few adapters. Count those in the line 'NET/IB : Using': a node of eight GPUs has eight.",
        ),
        Mistake(
            "host memory unseen",
            _like(by_log=_but("host memory")),
            "You missed the runs over host memory. A channel that ends in NET/IB/0 without /GDRDMA copies all bytes there first.",
        ),
        Mistake(
            "protocol unseen",
            _like(by_log=_but("settings")),
            "You missed a forced protocol. LL carries 4 bytes of flag for every 4 of data: good for short messages only.",
        ),
        Mistake(
            "somebody must be late",
            lambda table, log, healthy: _by_log(log) or "late rank",
            "You found a fault in a run that is well. Where both rows are as they should be, return 'nothing'. (The average bus "
            "bandwidth below the table is low for every run: it counts the messages of 8 bytes, too. Take busbw of the last row, not algbw.)",
        ),
        Mistake(
            "one adapter exactly",
            _like(by_log=lambda log: "" if _by_log(log) == "adapters" and log.count("]mlx5_") > 1 else _by_log(log)),
            "You ask for exactly one adapter. Six of eight are too few as well.",
            share=0.8,
        ),
        Mistake(
            "late only where long messages are well",
            lambda table, log, healthy: (
                _by_log(log) or ("late rank" if not _last(*rows(table), healthy) else "nothing")
                if _either(*rows(table), healthy)
                else "nothing"
            ),
            "A rank that is very late makes the last row slow as well. With nothing in the log it is still the late rank.",
            share=0.8,
        ),
    ),
    mutants=MUTANTS["collectives.diagnose"],
)
