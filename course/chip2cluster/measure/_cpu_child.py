"""Child process of `cpu_roofline`: reads a request from stdin, prints the measured rates as JSON."""

import json
import os
import sys
from contextlib import suppress
from datetime import date

import numpy as np

from chip2cluster.measure import benchmark


def main() -> None:
    """Time every add and every product within its share of the budget; print one line of JSON."""
    request = json.load(sys.stdin)
    with suppress(AttributeError, OSError):  # systems without CPU affinity
        os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[: request["threads"]])
    budget = request["budget"] / (len(request["sets"]) + len(request["products"]))
    dtype = np.dtype(request["dtype"])
    adds = [_add(size, dtype, budget) for size in request["sets"]]
    products = [_product(rows, dtype, budget) for rows in request["products"]]
    print(json.dumps({"adds": adds, "products": products, "day": date.today().isoformat()}))


def _add(size, dtype, budget):
    count = size // (3 * dtype.itemsize)
    one, other, out = (
        np.ones(count, dtype) for _ in range(3)
    )  # ones, because untouched zero pages are not backed by memory
    calls = max(1, 2**20 // size)
    sample = benchmark(lambda: np.add(one, other, out=out), budget_seconds=budget, calls=calls)
    moved = 3 * count * dtype.itemsize
    return [size, moved / sample.median, moved / sample.best, sample.noise]


def _product(rows, dtype, budget):
    one, other, out = (np.ones((rows, rows), dtype) for _ in range(3))
    calls = max(1, 2**21 // rows**3)
    sample = benchmark(lambda: np.matmul(one, other, out=out), budget_seconds=budget, calls=calls)
    return [rows, 2 * rows**3 / sample.median, 2 * rows**3 / sample.best, sample.noise]


if __name__ == "__main__":
    main()
