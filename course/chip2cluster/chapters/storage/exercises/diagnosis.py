"""Exercise on a diagnosis of slow file access, from Darshan's counters."""

from chip2cluster import measure
from chip2cluster.exercise import verdict_codes as v
from chip2cluster.exercise.model import Exercise, Group, Mistake

from ..mutants import MUTANTS
from .darshan_evidence import CAUSES, HEALTHY, TARGET, run

SMALL = 65536  # bytes of a request
RULES = ("metadata", "random access", "small requests", "locks")


def diagnose(log, healthy):
    """Name what makes a job wait for its files, from what darshan-parser printed."""
    summary = measure.read_darshan(log)
    if summary.rates["agg_perf_by_slowest"] >= 0.5 * healthy:
        return "nothing"
    return _by_counters(_counts(summary)) or "one target"


def _counts(summary):
    """Counters of a job, and how many of its files several processes share."""
    return {**summary.counters, "SHARED_FILES": summary.files["shared"][0]}


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
    "locks": lambda c: c["FILE_NOT_ALIGNED"] > 0.5 * _requests(c) and c["SHARED_FILES"] > 0 and c["WRITES"] > 0,
}


def _like(slow=None, order=RULES, rest="one target", **other):
    """The same with something changed: what is slow, the order of the rules, one of them, and what is left at the end."""

    def wrong(log, healthy):
        summary = measure.read_darshan(log)
        rate = summary.rates["agg_perf_by_slowest"]
        if not (slow(rate, healthy, summary) if slow else rate < 0.5 * healthy):
            return "nothing"
        return _by_counters(_counts(summary), order, **other) or rest

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
        *_without_conflict(generator),
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
        run("small requests", generator, files=0.015, odd=0.9, writes=0.6),
        run("metadata", generator, onward=jumping, odd=0.8),
        run("metadata", generator, sizes=crumbs, onward=jumping),
    ]


def _without_conflict(generator):
    """Misaligned requests that revoke no locks: each process has its own files, or the job only reads."""
    return [
        run("one target", generator, files=2.0, odd=0.9, writes=0.8),
        run("one target", generator, odd=0.85, writes=0.0),
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
    former_words=(("names", "metadata"), ("here and there", "random access")),
    groups=(
        Group("runs", 0.8, _runs),
        Group(
            "near the lines", 0.2, _near, advice="Half of the healthy rate is still fine, and 64 KiB are 65,536 bytes."
        ),
    ),
    hints=(
        "Is the job slow at all? Its rate is in the last line; measure.read_darshan returns it in bytes/s.",
        "If it is, go down the table in the notebook: the first row that fits the counters is the cause. Count reads and writes together.",
        "measure.read_darshan(log) has .rates['agg_perf_by_slowest'] and .counters['POSIX_F_META_TIME'] and so on; the average request "
        "is all bytes divided by all reads and writes; .files['shared'][0] is the number of shared files; if no row fits, it is one target.",
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
    shared = summary.files["shared"][0]
    if c["FILE_NOT_ALIGNED"] > requests / 2 and shared > 0 and c["WRITES"] > 0:
        return "locks"
    return "one target"
""",
    explanation=(
        "Darshan counts what the program asked for, not what the file system did. So its counters show metadata storms, random access, "
        "small requests and misaligned writes. They don't show where the file is: a job that does everything right and is still slow "
        "most likely has its bytes on too few targets, and `lfs getstripe` shows it. (One slow target, or a busy "
        "network, would look the same.)"
    ),
    meaning=lambda: (
        f"If a file system delivers {HEALTHY / 1e9:.0f} GB/s and one of its targets {TARGET / 1e9:.0f} GB/s, a file with a stripe count "
        f"of 1 never gets more than {100 * TARGET / HEALTHY:.0f} % of it, however many processes read. Keep a Darshan log of a good "
        "day for comparison. Several large centers write one for every job; elsewhere you load the tool yourself."
    ),
    mistakes=(
        Mistake(
            "somebody must be to blame",
            _like(slow=lambda rate, healthy, summary: True),
            "You found a fault in a healthy job. At half of the healthy rate or more, return 'nothing', whatever the counters say. (The log has MiB/s; measure.read_darshan returns bytes/s, like healthy.)",
        ),
        Mistake(
            "the healthy rate of one machine",
            _like(slow=lambda rate, healthy, summary: rate < 0.5 * HEALTHY),
            "You wrote the healthy rate of the job above into your code. Other machines have other rates: use healthy.",
        ),
        Mistake(
            "consecutive for sequential",
            _like(**{"random access": lambda c: c["CONSEC_READS"] + c["CONSEC_WRITES"] < 0.5 * _requests(c)}),
            "You used the CONSEC counters. They count requests that begin exactly where the last one ended; SEQ counts all that begin "
            "after it, and sequential access with gaps is still sequential.",
        ),
        Mistake(
            "reads alone, for the order",
            _like(**{"random access": lambda c: c["SEQ_READS"] < 0.5 * _requests(c)}),
            "You counted only sequential reads. A job that writes sequentially has few reads of any kind: add the writes.",
        ),
        Mistake(
            "the order of reads by themselves",
            _like(**{"random access": lambda c: c["SEQ_READS"] < 0.5 * c["READS"]}),
            "You used only the reads to judge the order. Reads and writes count together: both SEQ counters divided by all requests.",
        ),
        Mistake(
            "one kind that jumps is enough",
            _like(
                **{"random access": lambda c: c["SEQ_READS"] < 0.5 * c["READS"] or c["SEQ_WRITES"] < 0.5 * c["WRITES"]}
            ),
            "You check reads and writes separately. A few random reads among many sequential writes don't matter: count them together.",
        ),
        Mistake(
            "the size of reads by themselves",
            _like(**{"small requests": lambda c: c["BYTES_READ"] < SMALL * c["READS"]}),
            "You used only the reads to judge the size. Reads and writes count together: all bytes divided by all requests.",
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
            "You check the sizes of reads and writes separately. They count together: all bytes divided by all requests.",
        ),
        Mistake(
            "half of the reads are not aligned",
            _like(
                locks=lambda c: c["FILE_NOT_ALIGNED"] > 0.5 * c["READS"] and c["SHARED_FILES"] > 0 and c["WRITES"] > 0
            ),
            "You compare the misaligned requests with half of the reads. The counter includes reads and writes: compare with half of both.",
        ),
        Mistake(
            "locks without a conflict",
            _like(locks=lambda c: c["FILE_NOT_ALIGNED"] > 0.5 * _requests(c)),
            "You return locks for misaligned requests alone. Locks conflict only if several processes share a file and at least one of them writes: check files['shared'] and the writes, too.",
        ),
        Mistake(
            "locks of private files",
            _like(locks=lambda c: c["FILE_NOT_ALIGNED"] > 0.5 * _requests(c) and c["WRITES"] > 0),
            "You return locks although each process has its own files. Locks conflict only in a file that several processes share: check files['shared'].",
        ),
        Mistake(
            "locks of readers",
            _like(locks=lambda c: c["FILE_NOT_ALIGNED"] > 0.5 * _requests(c) and c["SHARED_FILES"] > 0),
            "You return locks for a job that only reads. Readers can share a lock; a conflict needs a process that writes.",
        ),
        Mistake(
            "small before the order",
            _like(order=("metadata", "small requests", "random access", "locks")),
            "You checked for small requests before random access. If both fit, the row higher up in the table counts.",
        ),
        Mistake(
            "names not first",
            _like(order=("random access", "small requests", "metadata", "locks")),
            "You checked the metadata too late. If several rows fit, the first one in the table counts, and that is metadata.",
        ),
        Mistake(
            "MB/s for MiB/s",
            _like(slow=lambda rate, healthy, summary: rate / 1.048576 < 0.5 * healthy),
            "You took the rate in the last line for MB/s. It is in MiB/s, of 2**20 bytes; measure.read_darshan has converted it to bytes/s.",
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
            "You compared the metadata time with the time of reads alone. Add the time of writes.",
        ),
        Mistake(
            "names by their number",
            _like(metadata=lambda c: c["OPENS"] > 2_000),
            "You count the opens. When many processes open one file there are many opens, but they are cheap: compare the times.",
        ),
        Mistake(
            "bytes read alone",
            _like(**{"small requests": lambda c: c["BYTES_READ"] < SMALL * _requests(c)}),
            "You divided only the bytes read by all requests. Add the bytes written.",
        ),
        Mistake(
            "locks before small requests",
            _like(order=("metadata", "random access", "locks", "small requests")),
            "You checked for misaligned requests first. Small requests are rarely aligned either: go down the table in order.",
        ),
        Mistake(
            "small before jumps",
            _like(
                order=("small requests", "metadata", "random access", "locks"),
                **{"small requests": lambda c: c["BYTES_READ"] + c["BYTES_WRITTEN"] < 10 * SMALL * _requests(c)},
            ),
            "You call large requests small: the limit is 64 KiB.",
        ),
        Mistake(
            "jumps unseen",
            _like(order=("metadata", "small requests", "locks")),
            "You missed the jobs with random access. If fewer than half of the requests begin after the end of the one before, that is the cause.",
        ),
        Mistake(
            "names unseen",
            _like(order=("random access", "small requests", "locks")),
            "You missed the metadata storms. If metadata takes longer than reading and writing, that is the cause.",
        ),
        Mistake(
            "small requests unseen",
            _like(order=("metadata", "random access", "locks")),
            "You missed the small requests: all bytes divided by all requests is below 64 KiB.",
        ),
        Mistake(
            "locks unseen",
            _like(order=("metadata", "random access", "small requests")),
            "You missed the misaligned writes to a shared file: more than half of the requests are not aligned.",
        ),
        Mistake(
            "nothing left to blame",
            _like(rest="nothing"),
            "A slow job whose counters look good is not a healthy job. Darshan can't see where the file is.",
        ),
    ),
    mutants=MUTANTS["storage.diagnose"],
)
