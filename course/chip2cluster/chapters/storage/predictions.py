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
        f"{saves:.1f} days go to checkpoints, {lost:.1f} to work that is done twice, {restarts:.1f} to restarts. That is three of every "
        "twenty hours, even with the best interval."
    )


def _random():
    return storage.mixed_rate(0.01, 4096, 150, 250e6) / 1e6


def _why_random(truth):
    return (
        "A random read of 4 KiB takes the disk 6.7 ms. In that time sequential access would read 1.7 MB, four hundred times as much. "
        f"One byte in a hundred, at four hundred times the cost, makes the average byte five times as expensive: {truth:.0f} MB/s."
    )


def _buffer():
    return loading.shuffle_quality(100, 10).mean_displacement


def _why_buffer(truth):
    return (
        f"An item must be read before it can leave, and once it is in the buffer it doesn't stay long. So it moves only "
        f"{truth:.1f} places, a fifth of the distance in a full shuffle: a buffer for a tenth of the data hardly shuffles."
    )


def _rows():
    return loading.read_amplification(_BATCH, _ROWS, _GROUP)


def _why_rows(truth):
    touched = loading.groups_touched(_BATCH, _ROWS, _GROUP)
    return (
        f"There are 150 groups, and 1,024 rows drawn at random are in {touched:.0f} of them. So nearly all 20 GB are read and decompressed "
        "for 2 MB of rows. In file order, reading the same number of rows would take about 2 MB."
    )


def _interval():
    return _best() / 60


def _why_interval(truth):
    young = reliability.young_interval(_DUMP, _MTBF) / 60
    return (
        "A checkpoint costs 60 s per interval. A failure costs half an interval, and comes every 186 minutes. The two losses are equal at "
        f"{young:.1f} minutes; the exact answer is {truth:.1f}."
    )


def _restarts():
    mean = 54 * DAY / 419 * 16_384 / 100_000
    return 100 * reliability.goodput(reliability.optimal_interval(0.5, mean), 0.5, _RESTART, mean)


def _why_restarts(truth):
    return (
        f"Something breaks every half hour, and each time ten minutes are gone, some of them twice, because a restart can fail as well: "
        f"{truth:.0f} % are left. No storage helps. Only quicker restarts and fewer failures do."
    )


def _silent():
    return 100 * (1 - reliability.silent_goodput(DAY, 0, 9 * DAY, located=True))


def _why_silent(truth):
    whole = 100 * (1 - reliability.silent_goodput(DAY, 0, 9 * DAY, located=False))
    return (
        f"The test finds an error that is half a day old on average. Half a day in nine is {truth:.1f} %. If nobody can say when the "
        f"error came, the whole day is lost, and it is {whole:.1f} %."
    )


QUESTIONS = (
    Question(
        "storage.days",
        "A run needs 54 days of work. A failure stops it every 3.1 hours on average; restarting takes ten minutes. A checkpoint stops "
        "it for 60 s. With the best checkpoint interval, after how many days is it done?",
        "days", _days, _why_days,
    ),
    Question(
        "storage.random",
        "A disk reads 250 MB/s sequentially, or does 150 random reads a second. A program reads 99 % of its bytes"
        " sequentially, 1 % in random reads of 4 KiB, one after the other. How many MB/s does it get?",
        "MB/s", _random, _why_random,
    ),
    Question(
        "storage.buffer",
        "100 items pass through a full buffer of 10: one leaves at random, and the next item takes its place. In "
        "a full shuffle an item moves 33 places on average. How many places does it move here?",
        "places", _buffer, _why_buffer,
    ),
    Question(
        "storage.rows",
        "Ten million rows of 2 kB are stored in row groups of 67,108 rows, always read whole. For a batch you "
        "draw 1,024 rows at random. How many bytes are read for each byte that you need?",
        "bytes", _rows, _why_rows,
    ),
    Question(
        "storage.interval",
        "The run of the question: a failure every 3.1 hours, 60 s for a checkpoint, ten minutes for a restart. How many minutes of "
        "work between two checkpoints are best?",
        "minutes", _interval, _why_interval,
    ),
    Question(
        "storage.restarts",
        "100,000 GPUs that fail as often as Llama 3's 16,384: something breaks every half hour. A checkpoint takes half a second, a "
        "restart ten minutes. What percent of the time is work?",
        "%", _restarts, _why_restarts,
    ),
    Question(
        "storage.silent",
        "Once in nine days a chip computes a wrong result and reports nothing. A daily test finds it, and the run returns to the last "
        "checkpoint before the error. What percent of the work is done twice?",
        "%", _silent, _why_silent,
    ),
)  # fmt: skip
