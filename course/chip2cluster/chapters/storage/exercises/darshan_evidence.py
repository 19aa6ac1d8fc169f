"""Output of darshan-parser for each access pattern of a job; evidence for `diagnosis`."""

PROCESSES = 512
HEALTHY, TARGET = 80e9, 4e9  # bytes/s of the file system, and of one of its targets
CAUSES = ("nothing", "metadata", "random access", "small requests", "locks", "one target")
# Of each cause: bytes of a request, files for each process, share of the requests that go on behind the last one, share
# that are not aligned, time of names over that of bytes, and the rate over a healthy one; lowest and highest.
LOOKS = {
    "nothing": ((1e6, 4e6), (0.5, 2), (0.92, 0.99), (0.0, 0.2), (0.01, 0.2), (0.6, 0.95)),
    "metadata": ((9e4, 3e5), (900, 4000), (0.93, 0.99), (0.0, 0.2), (1.5, 6.0), (0.02, 0.1)),
    "random access": ((8e4, 4e5), (1, 4), (0.05, 0.3), (0.7, 0.95), (0.02, 0.2), (0.02, 0.12)),
    "small requests": ((200, 9e3), (1, 4), (0.93, 0.99), (0.6, 0.95), (0.02, 0.2), (0.02, 0.15)),
    "locks": ((2e5, 9e5), (0.01, 0.02), (0.93, 0.99), (0.75, 0.98), (0.02, 0.2), (0.05, 0.2)),
    "one target": ((1e6, 4e6), (0.01, 0.02), (0.93, 0.99), (0.0, 0.2), (0.01, 0.1), (0.035, 0.05)),
}


def run(
    cause, generator, *, logged="", processes=PROCESSES, healthy=HEALTHY, writes=None, odd=None, share=None, sizes=None,
    onward=None, names=None, files=None,
):  # fmt: skip
    """The arguments of a job with this ``cause``; its counters may look like another's, ``logged``. Left out is drawn.

    ``writes`` is the share of the requests that write, ``odd`` of those that are not aligned; ``share`` the rate over a
    healthy one, ``names`` the time of names over that of bytes. ``sizes`` (bytes of a request) and ``onward`` (share
    that go on behind the last one) are pairs: of reads, of writes. ``files`` is the number of files for each process;
    with fewer than 0.1 all processes share them.
    """
    size, drawn_files, order, crooked, asked, _ = (float(generator.uniform(*ends)) for ends in LOOKS[logged or cause])
    files = drawn_files if files is None else files
    drawn = float(generator.uniform(*LOOKS[cause][-1]))
    rate = healthy * (drawn if share is None else share)
    # Locks are about writing, and nobody calls a job that writes little by them.
    least = 0.7 if (logged or cause) == "locks" else 0.05
    part = float(generator.uniform(least, 0.95)) if writes is None else writes
    sizes, onward = sizes or (size, size), onward or (order, order)
    size = (1 - part) * sizes[0] + part * sizes[1]
    requests = int(rate * generator.uniform(60, 900) / size)
    written = int(part * requests)
    counts = {"WRITES": written, "READS": requests - written}
    odd, names = crooked if odd is None else odd, asked if names is None else names
    return {
        "log": _log(counts, sizes, files, onward, odd, names, rate, processes, generator),
        "healthy": healthy,
    }


def _log(counts, sizes, files, onward, odd, names, rate, processes, generator):
    requests = sum(counts.values())
    size = (counts["READS"] * sizes[0] + counts["WRITES"] * sizes[1]) / requests
    spent = requests * size / rate * processes
    opened = max(int(files * processes), 1)
    lines = {
        "OPENS": opened * (processes if files < 0.1 else 1),
        **counts,
        "STATS": opened * 2,
        "FILE_NOT_ALIGNED": int(odd * requests),
    }
    for kind, past, which in (("WRITES", "BYTES_WRITTEN", 1), ("READS", "BYTES_READ", 0)):
        here = counts[kind]
        lines[past] = int(here * sizes[which])
        lines[f"SEQ_{kind}"] = int(here * onward[which])
        lines[f"CONSEC_{kind}"] = int(here * onward[which] * generator.uniform(0.1, 0.3))
    times = {
        "F_READ_TIME": spent * counts["READS"] / requests,
        "F_WRITE_TIME": spent * counts["WRITES"] / requests,
        "F_META_TIME": spent * names,
    }
    moved = lines["BYTES_READ"] + lines["BYTES_WRITTEN"]
    seconds = moved / rate
    shared = files < 0.1
    head = [
        "# darshan log version: 3.41",
        f"# nprocs: {processes}",
        f"# run time: {seconds * (1 + names) * generator.uniform(1.1, 4):.4f}",
        "# <file_type> <file_count> <total_bytes> <max_byte_offset>",
        f"# total: {opened} {moved} {moved // opened}",
        f"# unique: {0 if shared else opened} {0 if shared else moved} {0 if shared else moved // opened}",
        f"# shared: {opened if shared else 0} {moved if shared else 0} {moved // opened if shared else 0}",
    ]
    body = [f"total_POSIX_{name}: {value}" for name, value in lines.items()]
    body += [f"total_POSIX_{name}: {value:.6f}" for name, value in times.items()]
    return "\n".join([*head, *body, f"# agg_perf_by_slowest: {rate / 2**20:.4f} # MiB/s"]) + "\n"
