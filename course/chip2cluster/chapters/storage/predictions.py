"""Questions on storage and checkpoints."""

from chip2cluster import loading, reliability, storage
from chip2cluster.predict.question import Question
from chip2cluster.utilization import DAY, HOUR

_MTBF, _DUMP, _RESTART = 3.1 * HOUR, 60.0, 600.0  # of the question that opens the page
_ROWS, _GROUP, _BATCH = 10_000_000, 67_108, 1024


def _best():
    return reliability.optimal_interval(_DUMP, _MTBF)


def _days():
    return reliability.expected_time(54 * DAY, _best(), _DUMP, _RESTART, _MTBF) / DAY


def _why_days(truth):
    spent = reliability.time_breakdown(54 * DAY, _best(), _DUMP, _RESTART, _MTBF)
    saves, lost, restarts = (part / DAY for part in (spent.checkpoints, spent.lost, spent.restarts))
    return (
        f"{saves:.1f} days go to the saves, {lost:.1f} to work that is done twice, {restarts:.1f} to restarts: of every twenty hours "
        "three. And that is with the best interval."
    )


def _random():
    return storage.mixed_rate(0.01, 4096, 150, 250e6) / 1e6


def _why_random(truth):
    return (
        "A random read of 4 KiB takes the disk 6.7 ms, in which one sweep would have brought 1.7 MB: four hundred times as much. "
        f"One byte in a hundred, at four hundred times the price, makes the average byte five times as dear: {truth:.0f} MB/s."
    )


def _buffer():
    return loading.shuffle_quality(100, 10).mean_displacement


def _why_buffer(truth):
    return (
        f"An item has to be read before it can leave, and once it is in the buffer it does not stay for long. So it moves "
        f"{truth:.1f} places, a fifth of what a full shuffle does: a buffer for a tenth of the data is no shuffle at all."
    )


def _rows():
    return loading.read_amplification(_BATCH, _ROWS, _GROUP)


def _why_rows(truth):
    touched = loading.groups_touched(_BATCH, _ROWS, _GROUP)
    return (
        f"There are 150 groups, and 1,024 rows drawn at random lie in {touched:.0f} of them. So nearly all 20 GB are read and unpacked for "
        "2 MB of rows. Read in the order of the file, the same rows would cost what they weigh."
    )


def _interval():
    return _best() / 60


def _why_interval(truth):
    young = reliability.young_interval(_DUMP, _MTBF) / 60
    return (
        "Saves cost 60 s an interval. A failure costs half an interval, and there are 186 minutes between two. The two losses are equal at "
        f"{young:.1f} minutes; reckoned exactly it is {truth:.1f}."
    )


QUESTIONS = (
    Question(
        "storage.days",
        "A run needs 54 days of work. On average every 3.1 hours something stops it. To save its state it stands still for 60 s; "
        "after a stop it takes ten minutes until it works on from the last save. It saves itself as often as is best. After how many "
        "days is it done?",
        "days", _days, _why_days,
    ),
    Question(
        "storage.random",
        "A disk reads 250 MB/s in one sweep, and does 150 random reads a second. A program takes 99 % of its bytes in one sweep, "
        "and 1 % of them in random reads of 4 KiB, one after the other. How many MB/s does it get?",
        "MB/s", _random, _why_random,
    ),
    Question(
        "storage.buffer",
        "100 items pass through a buffer that holds 10. It fills, then one of the ten is drawn at random and leaves, and the next one "
        "takes its place. In a full shuffle an item ends up 33 places from where it stood, on average. How many places here?",
        "places", _buffer, _why_buffer,
    ),
    Question(
        "storage.rows",
        "A table of ten million rows of 2 kB lies in row groups of 67,108 rows, and a group is always read whole. For a batch you "
        "draw 1,024 rows at random. How many bytes are read for each byte that you wanted?",
        "bytes", _rows, _why_rows,
    ),
    Question(
        "storage.interval",
        "The run of the question: stopped every 3.1 hours, a save stands still for 60 s, a restart takes ten minutes. How many "
        "minutes of work between two saves are best?",
        "minutes", _interval, _why_interval,
    ),
)  # fmt: skip
