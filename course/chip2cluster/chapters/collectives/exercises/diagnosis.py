"""Exercise on a diagnosis of a slow all-reduce from the output of nccl-tests and NCCL's log."""

from chip2cluster.exercise import verdict_codes as v
from chip2cluster.exercise.model import Exercise, Group, Mistake

from ..mutants import MUTANTS
from .nccl_evidence import CAUSES, GPUS, HEALTHY, OLDER, rows, run

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
        slow_run = (
            (start > 1.5 * healthy["start"] or bus[-1] < 0.85 * healthy["busbw"])
            if slow is None
            else slow(start, bus, healthy)
        )
        return (by_log(log) or rest) if slow_run else "nothing"

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
            advice="Six NICs are also fewer than eight GPUs. And a rank that is very late slows down large messages as well: "
            "if the log shows nothing, it is the late rank.",
        ),
    ),
    hints=(
        "Does the table show anything at all? Compare the first row's time and the last row's busbw with what is healthy.",
        "If it does, go down the table in the exercise: the first row that fits the log is the cause.",
        "'Using network Socket' in log; fewer than eight of ']mlx5_'; no 'GDRDMA'; 'NCCL_PROTO set by environment to LL.', with the dot, because LL128 is another protocol; else the late rank.",
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
        "The log says what the library used: which network, how many NICs, GPUDirect RDMA or not, and which settings were "
        "forced. The table says which messages are slow. A late rank adds the same time to every size, so it shows mainly in "
        "small messages and in no line of the log."
    ),
    meaning=lambda: (
        f"With one NIC instead of eight, {HEALTHY['busbw'] / 8e9:.0f} GB/s are left of a healthy "
        f"{HEALTHY['busbw'] / 1e9:.0f} GB/s, a slowdown that no change to the model can fix. Keep NCCL's log of a healthy run: "
        "comparing two logs is the quickest diagnosis."
    ),
    mistakes=(
        Mistake(
            "any socket",
            _like(by_log=lambda log: "sockets" if "socket" in log.lower() else ""),
            "You found sockets in every log. The bootstrap, in which the ranks find each other, always uses one, and eth0 and "
            "NCCL_SOCKET_IFNAME belong to it. The line 'Using network …' says which network carries the data.",
        ),
        Mistake(
            "every setting is to blame",
            _like(by_log=_always_settings),
            "You blame any setting from the environment. An interface or a timeout slows nothing down; NCCL_PROTO does, if it "
            "forces the protocol for small messages.",
        ),
        Mistake(
            "any forced protocol",
            _like(by_log=_protocol(PROTOCOL)),
            "You blame NCCL_PROTO for any value. LL slows large messages, while Simple is what they use anyway. Read the value.",
        ),
        Mistake(
            "LL128 for LL",
            _like(by_log=_protocol(f"{PROTOCOL} LL")),
            "You mistook LL128 for LL, because one name begins with the other. LL128 leaves 92 % of the link, LL half of it.",
        ),
        Mistake(
            "the log before the rows",
            lambda table, log, healthy: _by_log(log) or ("late rank" if _either(*rows(table), healthy) else "nothing"),
            "You read the log before the rows. If both rows are as they should be, the answer is 'nothing', whatever the log says.",
        ),
        Mistake(
            "the healthy values of one machine",
            _like(slow=lambda start, bus, healthy: _either(start, bus, HEALTHY)),
            "You hard-coded the healthy values of the run above. Another machine has other values: take them from healthy.",
        ),
        Mistake(
            "the last row alone",
            _like(slow=_last),
            "You never find a late rank, because you looked only at the last row, or only at the log. A late rank adds the same "
            "time to every size, so it shows in the first row.",
        ),
        Mistake(
            "the first row alone",
            _like(slow=_first),
            "You looked only at the first row. Missing NICs, host memory and a forced protocol hardly change small messages; "
            "look at busbw of the last row, too.",
        ),
        Mistake(
            "late before the log",
            lambda table, log, healthy: "late rank" if _first(*rows(table), healthy) else _like()(table, log, healthy),
            "You called every slow start a late rank. Sockets start slowly as well: read the log first.",
        ),
        Mistake(
            "adapters not counted",
            _like(by_log=_but("adapters")),
            "You missed the runs with too few NICs. Count those in the line 'NET/IB : Using': a node of eight GPUs has eight.",
        ),
        Mistake(
            "host memory unseen",
            _like(by_log=_but("host memory")),
            "You missed the runs over host memory. A channel that ends in NET/IB/0 without /GDRDMA copies all bytes to host memory first.",
        ),
        Mistake(
            "protocol unseen",
            _like(by_log=_but("settings")),
            "You missed a forced protocol. LL sends 4 bytes of flag for every 4 of data, which is good only for small messages.",
        ),
        Mistake(
            "somebody must be late",
            lambda table, log, healthy: _by_log(log) or "late rank",
            "You found a fault in a healthy run. If both rows are as they should be, return 'nothing'. (The average bus bandwidth "
            "below the table is low for every run, because it includes the messages of 8 bytes. Take busbw of the last row, not algbw.)",
        ),
        Mistake(
            "one adapter exactly",
            _like(by_log=lambda log: "" if _by_log(log) == "adapters" and log.count("]mlx5_") > 1 else _by_log(log)),
            "You test for exactly one NIC. Six of eight are also too few.",
            share=0.8,
        ),
        Mistake(
            "late only where long messages are well",
            lambda table, log, healthy: (
                _by_log(log) or ("late rank" if not _last(*rows(table), healthy) else "nothing")
                if _either(*rows(table), healthy)
                else "nothing"
            ),
            "A rank that is very late slows down the last row as well. If the log shows nothing, it is still the late rank.",
            share=0.8,
        ),
    ),
    mutants=MUTANTS["collectives.diagnose"],
)
