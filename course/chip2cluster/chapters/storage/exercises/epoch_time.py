"""Exercise on the time to read a data set once: limited by metadata or by bytes."""

from chip2cluster import storage
from chip2cluster.exercise import verdict_codes as v
from chip2cluster.exercise.model import Exercise, Group, Mistake

OPERATIONS = 3  # look up, open, close


def epoch_seconds(samples, sample_kbytes, samples_per_file, storage_gbytes, requests_per_second):
    """Seconds, at least: three requests a file at the metadata servers, or all bytes from the targets."""
    files = -(-samples // samples_per_file)
    size = samples * sample_kbytes * 1e3
    return max(
        storage.metadata_time(files, requests_per_second, operations_per_file=OPERATIONS), size / (storage_gbytes * 1e9)
    )


def _case(samples, kbytes, each, gbytes, requests):
    return {
        "samples": samples,
        "sample_kbytes": kbytes,
        "samples_per_file": each,
        "storage_gbytes": gbytes,
        "requests_per_second": requests,
    }


def _sets(generator):
    # A case that can be done in the head comes first: it is the one that a student sees.
    drawn = [_case(1_000_000, 100.0, 1, 10.0, 30_000.0)]
    for each in (1, 2, 5000, 7, 1000):
        # All files are full: the last one is a matter of the edges.
        samples = each * int(generator.integers(300_000, 9_000_000) // each)
        kbytes, rate = round(float(generator.uniform(40, 300)), 1), 1e3 * int(generator.integers(15, 60))
        size = samples * kbytes * 1e3
        if each > 7:
            storage_rate = float(generator.uniform(5e9, 60e9))  # the bytes take longer by far
        else:
            storage_rate = size * rate * each / (OPERATIONS * samples) * float(generator.uniform(1.5, 4))
        drawn.append(_case(samples, kbytes, each, float(f"{storage_rate / 1e9:.3g}"), rate))
    return drawn


def _edges(generator):
    samples = int(generator.integers(11, 99))
    return [
        _case(samples * 1000 + 1, 1.0, samples * 500, 5.0, 10.0),  # one sample more than fits into two files
        _case(samples, 1.0, 1000, 100.0, 3.0),  # a single file that is not full
    ]


def _time(join=max, operations=OPERATIONS, files=lambda n, each: -(-n // each), kilo=1e3, giga=1e9):
    def wrong(samples, sample_kbytes, samples_per_file, storage_gbytes, requests_per_second):
        names = operations * files(samples, samples_per_file) / requests_per_second
        return join(names, samples * sample_kbytes * kilo / (storage_gbytes * giga))

    return wrong


EPOCH = Exercise(
    id="storage.epoch",
    title="Metadata or bytes?",
    signature="epoch_seconds(samples, sample_kbytes, samples_per_file, storage_gbytes, requests_per_second)",
    unit="s",
    points=3,
    reference=epoch_seconds,
    shows=(epoch_seconds, storage.metadata_time),
    groups=(
        Group("data sets", 0.8, _sets),
        Group(
            "edges",
            0.2,
            _edges,
            advice="The last file may hold fewer samples than the others, but it is still a file.",
        ),
    ),
    hints=(
        "How many files are there? Each costs three requests, whatever its size.",
        "Two servers work at the same time: one answers the requests, one sends the bytes. Which one finishes last?",
        "files = samples divided by samples_per_file, rounded up; max(3 · files / requests_per_second, all bytes / rate).",
    ),
    solution="""
import math


def epoch_seconds(samples, sample_kbytes, samples_per_file, storage_gbytes, requests_per_second):
    files = math.ceil(samples / samples_per_file)
    names = 3 * files / requests_per_second
    data = samples * sample_kbytes * 1e3 / (storage_gbytes * 1e9)
    return max(names, data)
""",
    explanation=(
        "Metadata and bytes come from different servers. With one sample per file the metadata servers are the bottleneck and the "
        "disks wait; with a thousand it is the other way round, and larger files don't help any more."
    ),
    meaning=lambda: (
        f"ImageNet as 1,281,167 files of 117 kB keeps a metadata server of 20,000 requests/s busy for {_imagenet(1):.0f} s, though "
        f"its bytes take only {_imagenet(1000):.0f} s at 10 GB/s. At these rates a file should have at least "
        f"{storage.smallest_file(10e9, 20_000) / 1e6:.1f} MB; a shard of 100 MB is far larger than that."
    ),
    mistakes=(
        Mistake(
            "sum",
            _time(join=lambda a, b: a + b),
            "You added the two times. Metadata and bytes come from different servers that work at the same time: the slower one counts.",
        ),
        Mistake("bytes alone", _time(join=lambda a, b: b), "You left out the metadata: three requests for every file."),
        Mistake("names alone", _time(join=lambda a, b: a), "You left out the bytes. Large files are limited by them."),
        Mistake(
            "the quicker one",
            _time(join=min),
            "You took the shorter time. You need all the metadata *and* all the bytes, so the longer time counts.",
        ),
        Mistake(
            "one request a file",
            _time(operations=1),
            "You counted one request per file. It is three: look up, open, close.",
        ),
        Mistake(
            "a request a sample",
            _time(files=lambda n, each: n),
            "You counted requests for every sample. Requests are for files; a file holds samples_per_file samples.",
        ),
        Mistake(
            "files multiplied",
            _time(files=lambda n, each: n * each),
            "You multiplied samples by samples_per_file. More samples in a file mean fewer files.",
        ),
        Mistake(
            "part of a file",
            _time(files=lambda n, each: n / each),
            "You opened part of a file. The last file is opened too, even if it isn't full: round up.",
            "wrong at the edges",
            share=0.8,
        ),
        Mistake(
            "files cut off",
            _time(files=lambda n, each: n // each),
            "You left out the last file, which is not full: round up.",
            "wrong at the edges",
            share=0.8,
        ),
        Mistake(
            "KiB and GiB",
            _time(kilo=1024.0, giga=2.0**30),
            "You took kB and GB for KiB and GiB. A kB is 1e3 bytes, a GB 1e9.",
            v.UNIT,
        ),
        Mistake(
            "KiB alone",
            _time(kilo=1024.0),
            "You took a kB for 1,024 bytes. It is 1e3.",
            v.UNIT,
        ),
        Mistake(
            "GiB alone",
            _time(giga=2.0**30),
            "You took a GB for 2**30 bytes. It is 1e9.",
            v.UNIT,
        ),
        Mistake(
            "kB and GB",
            _time(kilo=1.0, giga=1.0),
            "Your units differ: a kB is 1e3 bytes, a GB 1e9.",
            v.UNIT,
        ),
    ),
)


def _imagenet(each):
    return epoch_seconds(1_281_167, 117.0, each, 10.0, 20_000.0)
