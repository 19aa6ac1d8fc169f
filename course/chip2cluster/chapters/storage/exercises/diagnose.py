"""Why does this job wait for its files?"""

from chip2cluster import measure
from chip2cluster.exercise import verdict_codes as v
from chip2cluster.exercise.model import Exercise, Group, Mistake

from ..mutants import MUTANTS
from .evidence import CAUSES, HEALTHY, TARGET, run

SMALL = 65536  # bytes of a request
RULES = ("metadata", "random access", "small requests", "locks")


def diagnose(log, healthy):
    """Name what makes a job wait for its files, from what darshan-parser printed."""
    summary = measure.read_darshan(log)
    if summary.rates["agg_perf_by_slowest"] >= 0.5 * healthy:
        return "nothing"
    return _by_counters(summary.counters) or "one target"


def _by_counters(counters, order=RULES, **other):
    count = {name.removeprefix("POSIX_"): value for name, value in counters.items()}
    rules = _RULES | other
    return next((cause for cause in order if rules[cause](count)), "")


def _requests(count):
    return count["READS"] + count["WRITES"]


_RULES = {
    "metadata": lambda c: c["F_META_TIME"] > c["F_READ_TIME"] + c["F_WRITE_TIME"],
    "random access": lambda c: c["SEQ_READS"] + c["SEQ_WRITES"] < 0.5 * _requests(c),
    "small requests": lambda c: c["BYTES_READ"] + c["BYTES_WRITTEN"] < SMALL * _requests(c),
    "locks": lambda c: c["FILE_NOT_ALIGNED"] > 0.5 * _requests(c),
}


def _like(slow=None, order=RULES, rest="one target", **other):
    """The same with something changed: what is slow, the order of the rules, one of them, and what is left at the end."""

    def wrong(log, healthy):
        summary = measure.read_darshan(log)
        rate = summary.rates["agg_perf_by_slowest"]
        if not (slow(rate, healthy, summary) if slow else rate < 0.5 * healthy):
            return "nothing"
        return _by_counters(summary.counters, order, **other) or rest

    return wrong


def _runs(generator):
    # The run that the page shows comes first: a student has it before their eyes.
    first = run("random access", generator, writes=0.05)
    other = healthy_of(generator)
    more = [
        *(run(cause, generator) for cause in CAUSES),
        run("nothing", generator, logged="small requests", writes=0.9),
        run("nothing", generator, logged="metadata", healthy=other),
        run("metadata", generator, writes=0.1, healthy=other),
        run("random access", generator, writes=0.5, healthy=other),
        run("small requests", generator, writes=0.95, odd=0.1),
        run("locks", generator, writes=0.97),
        run("one target", generator, writes=0.05, healthy=other),
        run("random access", generator, processes=64),
        run("metadata", generator, processes=64, writes=0.9),
        *_unlike(generator),
        *_twofold(generator),
    ]
    return [first, *(more[place] for place in generator.permutation(len(more)))]


def healthy_of(generator):
    """Bytes/s of another file system, far from the first."""
    return 1e9 * int(generator.integers(15, 40))


def _unlike(generator):
    """Jobs whose reads look unlike their writes: only both together tell."""
    few, many = (float(generator.uniform(*ends)) for ends in ((0.08, 0.15), (0.85, 0.92)))
    onward, jumping = (float(generator.uniform(*ends)) for ends in ((0.93, 0.99), (0.05, 0.3)))
    crumbs, large = (float(generator.uniform(*ends)) for ends in ((500, 9e3), (2e5, 3e5)))
    return [
        run("one target", generator, writes=many, onward=(jumping, onward)),
        run("one target", generator, writes=few, onward=(onward, jumping)),
        run("random access", generator, writes=many, onward=(onward, jumping)),
        run("random access", generator, writes=few, onward=(jumping, onward)),
        run("one target", generator, writes=many, sizes=(crumbs, 4 * large)),
        run("one target", generator, writes=few, sizes=(4 * large, crumbs)),
        run("small requests", generator, writes=many, sizes=(large, crumbs)),
        run("small requests", generator, writes=few, sizes=(crumbs, large)),
        run("one target", generator, writes=0.5, odd=float(generator.uniform(0.32, 0.45))),
    ]


def _twofold(generator):
    """Jobs to which two rows or three of the table fit: the first one counts."""
    crumbs, jumping = (float(generator.uniform(200, 9e3)),) * 2, (float(generator.uniform(0.05, 0.3)),) * 2
    return [
        run("random access", generator, sizes=crumbs),
        run("metadata", generator, sizes=crumbs),
        run("metadata", generator, onward=jumping, odd=0.8),
        run("metadata", generator, sizes=crumbs, onward=jumping),
    ]


def _near(generator):
    """Jobs just beside the lines: half of the healthy rate, and 64 KiB."""
    other = healthy_of(generator)
    return [
        run("nothing", generator, logged="small requests", share=0.505),
        run("nothing", generator, logged="small requests", share=0.53),  # slow to nobody who takes MiB/s for MB/s
        run("small requests", generator, share=0.495, healthy=other),
        run("small requests", generator, share=0.3, sizes=(64_700, 64_700)),
        run("one target", generator, share=0.3, sizes=(66_400, 66_400)),
    ]


DIAGNOSE = Exercise(
    id="storage.diagnose",
    title="Why does this job wait for its files?",
    signature="diagnose(log, healthy)",
    unit="",
    points=4,
    reference=diagnose,
    shows=(diagnose, measure.read_darshan),
    allowed=("chip2cluster.specs", "chip2cluster.units", "chip2cluster.measure"),
    groups=(
        Group("runs", 0.8, _runs),
        Group(
            "near the lines", 0.2, _near, advice="Half of the healthy rate is still well, and 64 KiB are 65,536 bytes."
        ),
    ),
    hints=(
        "Is the job slow at all? Its rate is in the last line; the reader returns it in bytes/s.",
        "If it is, go down the table of the page: the first row that the counters fit is the cause. Reads and writes count together.",
        "measure.read_darshan(log) has .rates['agg_perf_by_slowest'] and .counters['POSIX_F_META_TIME'] and so on; a mean request "
        "is all bytes over all reads and writes; if nothing fits, it is one target.",
    ),
    solution="""
from chip2cluster import measure


def diagnose(log, healthy):
    summary = measure.read_darshan(log)
    if summary.rates["agg_perf_by_slowest"] >= 0.5 * healthy:
        return "nothing"
    c = {name.removeprefix("POSIX_"): value for name, value in summary.counters.items()}
    requests = c["READS"] + c["WRITES"]
    if c["F_META_TIME"] > c["F_READ_TIME"] + c["F_WRITE_TIME"]:
        return "metadata"
    if c["SEQ_READS"] + c["SEQ_WRITES"] < requests / 2:
        return "random access"
    if c["BYTES_READ"] + c["BYTES_WRITTEN"] < 65536 * requests:
        return "small requests"
    if c["FILE_NOT_ALIGNED"] > requests / 2:
        return "locks"
    return "one target"
""",
    explanation=(
        "Darshan counts what the program asked for, not what the file system did. So it tells storms of names, jumps, crumbs and "
        "crooked writes by themselves. What it cannot see is where the file lies: a job that does everything right and is slow "
        "all the same has most likely its bytes on too few targets, and `lfs getstripe` tells. (One slow target, or a busy "
        "network, would look alike.)"
    ),
    meaning=lambda: (
        f"Where a file system gives {HEALTHY / 1e9:.0f} GB/s and one of its targets {TARGET / 1e9:.0f} GB/s, a file with one stripe "
        f"never sees more than {100 * TARGET / HEALTHY:.0f} % of it, however many processes read. Keep a Darshan print of a good "
        "day to hold it against. Several large centres write one for every job; elsewhere you load the tool yourself."
    ),
    mistakes=(
        Mistake(
            "somebody must be to blame",
            _like(slow=lambda rate, healthy, summary: True),
            "You found a fault in a job that is well. From half of the healthy rate on, return 'nothing', whatever the counters say. (The print has MiB/s; the reader gives bytes/s, like healthy.)",
        ),
        Mistake(
            "the healthy rate of one machine",
            _like(slow=lambda rate, healthy, summary: rate < 0.5 * HEALTHY),
            "You wrote the healthy rate of the job above into your code. Another machine has another: take it from healthy.",
        ),
        Mistake(
            "consecutive for sequential",
            _like(**{"random access": lambda c: c["CONSEC_READS"] + c["CONSEC_WRITES"] < 0.5 * _requests(c)}),
            "You took the CONSEC counters. They count requests that begin exactly where the last one ended; SEQ counts all that lie "
            "behind it, and going on with gaps is no jumping.",
        ),
        Mistake(
            "reads alone, for the order",
            _like(**{"random access": lambda c: c["SEQ_READS"] < 0.5 * _requests(c)}),
            "You counted sequential reads alone. A job that writes in order has few reads of any kind: add the writes.",
        ),
        Mistake(
            "the order of reads by themselves",
            _like(**{"random access": lambda c: c["SEQ_READS"] < 0.5 * c["READS"]}),
            "You judge the order by the reads alone. Reads and writes count together: both SEQ counters over all requests.",
        ),
        Mistake(
            "one kind that jumps is enough",
            _like(
                **{"random access": lambda c: c["SEQ_READS"] < 0.5 * c["READS"] or c["SEQ_WRITES"] < 0.5 * c["WRITES"]}
            ),
            "You ask reads and writes one by one. A few reads that jump beside many writes in order are no matter: count them together.",
        ),
        Mistake(
            "the size of reads by themselves",
            _like(**{"small requests": lambda c: c["BYTES_READ"] < SMALL * c["READS"]}),
            "You judge the size by the reads alone. Reads and writes count together: all bytes over all requests.",
        ),
        Mistake(
            "one kind that is small is enough",
            _like(
                **{
                    "small requests": lambda c: (
                        c["BYTES_READ"] < SMALL * c["READS"] or c["BYTES_WRITTEN"] < SMALL * c["WRITES"]
                    )
                }
            ),
            "You ask for the size of reads and of writes one by one. They count together: all bytes over all requests.",
        ),
        Mistake(
            "half of the reads are not aligned",
            _like(locks=lambda c: c["FILE_NOT_ALIGNED"] > 0.5 * c["READS"]),
            "You compare the requests that are not aligned with the reads alone. The counter has reads and writes: take half of both.",
        ),
        Mistake(
            "small before the order",
            _like(order=("metadata", "small requests", "random access", "locks")),
            "You asked for small requests before jumps. Where both fit, the row further up in the table counts.",
        ),
        Mistake(
            "names not first",
            _like(order=("random access", "small requests", "metadata", "locks")),
            "You asked for the names too late. Where several rows fit, the first of the table counts, and that is names.",
        ),
        Mistake(
            "MB/s for MiB/s",
            _like(slow=lambda rate, healthy, summary: rate / 1.048576 < 0.5 * healthy),
            "You took the rate in the last line for MB/s. It is in MiB/s, of 2**20 bytes; the reader has turned it into bytes/s.",
            v.UNIT,
            share=0.8,
        ),
        Mistake(
            "64,000 bytes",
            _like(**{"small requests": lambda c: c["BYTES_READ"] + c["BYTES_WRITTEN"] < 64_000 * _requests(c)}),
            "You took 64 KiB for 64,000 bytes. It is 65,536.",
            v.UNIT,
            share=0.8,
        ),
        Mistake(
            "reads alone, for the time",
            _like(metadata=lambda c: c["F_META_TIME"] > c["F_READ_TIME"]),
            "You compared the time of names with that of reads alone. Writes are bytes as well.",
        ),
        Mistake(
            "names by their number",
            _like(metadata=lambda c: c["OPENS"] > 2_000),
            "You count the opens. Many processes that open one file open it many times, and cheaply: compare the times.",
        ),
        Mistake(
            "bytes read alone",
            _like(**{"small requests": lambda c: c["BYTES_READ"] < SMALL * _requests(c)}),
            "You divided the bytes that were read by all requests. Add the bytes that were written.",
        ),
        Mistake(
            "locks before small requests",
            _like(order=("metadata", "random access", "locks", "small requests")),
            "You asked for crooked writes first. Small requests are seldom aligned either: go down the table in its order.",
        ),
        Mistake(
            "small before jumps",
            _like(
                order=("small requests", "metadata", "random access", "locks"),
                **{"small requests": lambda c: c["BYTES_READ"] + c["BYTES_WRITTEN"] < 10 * SMALL * _requests(c)},
            ),
            "You call requests small that are not: the line is at 64 KiB.",
        ),
        Mistake(
            "jumps unseen",
            _like(order=("metadata", "small requests", "locks")),
            "You missed the jobs that jump. When fewer than half of the requests go on behind the last one, that is the cause.",
        ),
        Mistake(
            "names unseen",
            _like(order=("random access", "small requests", "locks")),
            "You missed the storms of names. When opening takes longer than reading and writing, that is the cause.",
        ),
        Mistake(
            "small requests unseen",
            _like(order=("metadata", "random access", "locks")),
            "You missed the small requests: all bytes over all requests is below 64 KiB.",
        ),
        Mistake(
            "locks unseen",
            _like(order=("metadata", "random access", "small requests")),
            "You missed the crooked writes to a shared file: more than half of the requests are not aligned.",
        ),
        Mistake(
            "nothing left to blame",
            _like(rest="nothing"),
            "A slow job whose counters are all in order is no healthy job. What Darshan cannot see is where the file lies.",
        ),
    ),
    mutants=MUTANTS["storage.diagnose"],
)
