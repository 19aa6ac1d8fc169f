"""Explorer of disaggregated serving: prefill instances send the KV cache to decode instances."""

from functools import lru_cache
from math import ceil, inf
from typing import Any

import numpy as np

from chip2cluster import draw, links, serving
from chip2cluster.explore.base import Explorer
from chip2cluster.explore.controls import Choice, Slider
from chip2cluster.explore.custom_service import REACHED, REACHED_WORDS, named_deployment, rate_slider, request_rates
from chip2cluster.explore.frame import Column, Extent, Frame, Table
from chip2cluster.explore.repeated_runs import RUNS, best_in_every_run
from chip2cluster.explore.static_states import Strip
from chip2cluster.units import show

REPLICAS = 8
MOST, TOKENS = 300, 64 * 300  # requests and output tokens of each run at most: five of them take less than a second
RATES = (40, 60, 80, 90, 100, 110, 120, 140)
SHARES = (0.3, 0.45, 0.6, 0.7, 0.75, 0.8, 0.9, 1.05)
BOTH = "all do both"
TOGETHER = {"chunked prefill": "chunked", "whole prompts first": "prefill_first"}
LINKS = {
    "NVLink 4": links.nvlink(4).bandwidth_one_way,
    "InfiniBand NDR": links.infiniband("NDR").bandwidth_one_way,
    "25 Gb/s Ethernet": 25e9 / 8,
}


class Pools(Explorer):
    """Split eight replicas into prefill and decode instances.

    Prompts of one length and outputs of mixed length; five simulations of at most 300 requests each.

    Parameters
    ----------
    reading : int
        How many of the eight are prefill instances, 1 to 7.
    model, chip, devices, precision
        Configuration of each replica, as in `serving.deploy`: a published model or your `transformer.Config`, a chip's name or your
        `specs.own`.
    **values
        Start values of the other controls: ``rate`` (requests a second, all replicas together; yours joins those of the slider), ``prompt`` (tokens),
        ``limit`` (ms, highest inter-token latency of a decode instance), ``link`` (what the cache is sent over),
        ``beside`` (how eight replicas that do both fill their steps).

    Raises
    ------
    ValueError, TypeError
        For an unknown control, a value that it does not offer, and a model that does not fit: the message says how many
        devices hold it.

    Examples
    --------
    >>> from chip2cluster import explore
    >>> few, enough = (explore.pools(reading).table[0]["TTFT, p99 (ms)"] for reading in (3, 6))
    >>> few, enough < 300
    (inf, True)
    """

    title = "Prefill and decode instances"
    extent = Extent(letters=490)
    positional = ("reading",)
    controls = (
        Slider(name="reading", label="Prefill instances", options=tuple(range(1, REPLICAS)), default=4, unit=f"of {REPLICAS}"),
        Slider(name="rate", label="Requests a second", options=RATES, default=80, text="{:g}".format),
        Choice(name="prompt", label="Prompt", options=(500, 1000, 2000, 4000), default=2000, text="{:,}".format, unit="tokens"),
        Choice(name="output", label="Output, on average", options=(16, 64, 256), default=64, unit="tokens", more=True),
        Choice(name="limit", label="ITL, at most", options=(12, 15, 20, 30, 50, 100), default=20, unit="ms", more=True),
        Choice(name="link", label="The KV cache is sent over", options=tuple(LINKS), default="InfiniBand NDR", more=True),
        Choice(name="beside", label="Compared with eight that do both", options=tuple(TOGETHER), default="chunked prefill", more=True),
    )  # fmt: skip
    strip = Strip("reading", {"rate": (60, 80, 110), "prompt": (500, 2000, 4000)})

    def __init__(self, *given, model="Llama 3 8B", chip="H100 SXM", devices=1, precision="bf16", **values):
        self._service, self._deployment = named_deployment(model, chip, devices, precision)
        rates: tuple[float, ...] = RATES
        if (model, chip, devices, precision) != ("Llama 3 8B", "H100 SXM", 1, "bf16"):
            rates = tuple(float(f"{REPLICAS * rate:.2g}") for rate in request_rates(self._deployment, 2000, 64, SHARES))
        slider = rate_slider(self.controls[1], rates, rates[2], values.get("rate"))
        self.controls = (self.controls[0], slider, *self.controls[2:])
        super().__init__(*given, **values)

    def frame(self, values: dict[str, Any]) -> Frame:
        rate, prompt, output, reading = (values[name] for name in ("rate", "prompt", "output", "reading"))
        deployment, wire = self._deployment, LINKS[values["link"]]
        sent = serving.cache_transfer_seconds(deployment.config, prompt, wire, deployment.cache_bytes)
        alone = serving.time_between_tokens(deployment, prompt + ceil(output / 2), efficiency=REACHED)
        limit = max(
            1e-3 * values["limit"], alone * (1 + 1e-9)
        )  # a limit that nothing keeps becomes the nearest possible
        each = serving.pool_rates(deployment, prompt, output, limit, efficiency=REACHED)
        prefilled, decoded = reading * each.prefill, (REPLICAS - reading) * each.decode
        carried = min(prefilled, decoded)
        both = REPLICAS * serving.stream_rate(deployment, prompt, output, efficiency=REACHED) / output
        split = f"{reading} prefill, {REPLICAS - reading} decode"
        runs = {
            split: _apart(deployment, rate, prompt, output, reading, sent),
            BOTH: _together(deployment, rate, prompt, output, TOGETHER[values["beside"]]),
        }
        rows = (
            (split, float(carried), *_waits(runs[split], rate > prefilled)),
            (f"{BOTH}, {values['beside']}", float(both), *_waits(runs[BOTH], rate > both)),
        )
        requests = len(runs[BOTH][0].requests)
        subject = f"prompts of {prompt:,} tokens, {rate:g} of them a second"
        if alone > 1e-3 * values["limit"]:
            title = f"No split keeps {values['limit']} ms: alone, a sequence waits {_time(1e3 * alone)} for a token"
            needed = f"The rates here are those for {_time(1e3 * limit)} between tokens."
        else:
            title = _found(carried, rate, prefilled < decoded, values["limit"])
            needed = _needed(ceil(rate / each.prefill), ceil(rate / each.decode))
        grows = rate > prefilled or rate > both
        compared = [] if grows else [_compared("TTFT", runs, "time_to_first_token", requests)]
        compared.append(_compared("ITL", runs, "time_between_tokens", requests))
        say = f"{needed} {' '.join(compared)} {_sent(sent, values['link'], rows)}"
        picture = draw.pools(
            each.prefill, each.decode, REPLICAS, reading, rate, title=title, subtitle=f"{REPLICAS} × {self._service}",
            description=f"{title}. {REPLICAS} × {self._service}. {say}", row=split,
        )  # fmt: skip
        return Frame(picture, Table(subject, COLUMNS, rows, marked=0, note=f"{RUNS} runs of {requests} requests"), say)


@lru_cache(maxsize=128)
def _requests(rate, prompt, output, seed):
    count = max(30, min(MOST, TOKENS // output))
    return serving.poisson_requests(rate, count, prompt, serving.geometric_lengths(output, count, seed), seed)


@lru_cache(maxsize=512)
def _apart(deployment, rate, prompt, output, reading, sent):
    prefill = serving.replica(deployment, REACHED, policy="prefill_first")
    decode = serving.replica(deployment, REACHED)
    pools = [prefill] * reading, [decode] * (REPLICAS - reading)
    return [serving.disaggregate(_requests(rate, prompt, output, seed), *pools, sent) for seed in range(1, RUNS + 1)]


@lru_cache(maxsize=256)
def _together(deployment, rate, prompt, output, policy):
    rules = serving.replica(deployment, REACHED, policy=policy)
    return [serving.simulate(_requests(rate, prompt, output, seed), [rules] * REPLICAS) for seed in range(1, RUNS + 1)]


def _waits(runs, grows):
    """Median and p99 of the TTFT and of the ITL in ms, each the median over the runs; infinite where a queue grows."""
    first, between = (
        [1e3 * float(np.median([run.percentile(what, [share]) for run in runs])) for share in (50, 99)]
        for what in ("time_to_first_token", "time_between_tokens")
    )
    return (*((inf, inf) if grows else first), *between)


MILLISECONDS = lambda time: "grows" if time == inf else f"{time:,.0f}" if time >= 100 else f"{time:.3g}"
COLUMNS = (
    Column("eight replicas"),
    Column("carry at most", "requests/s", "{:,.0f}".format),
    Column("TTFT, median", "ms", MILLISECONDS),
    Column("TTFT, p99", "ms", MILLISECONDS),
    Column("ITL, median", "ms", MILLISECONDS),
    Column("ITL, p99", "ms", MILLISECONDS),
)


def _needed(prefill, decode):
    total = prefill + decode
    more = "" if total <= REPLICAS else f", more than the {REPLICAS} that there are"
    return f"At least {prefill} prefill and {decode} decode instances are needed, {total} together{more}."


def _found(carried, rate, prefill, limit):
    if carried >= rate:
        return f"All {rate:g} requests a second are carried, {carried:,.0f} could be"
    if prefill:
        return f"The queue for prefill grows without end: {carried:,.0f} of {rate:g} requests a second are carried"
    return f"Decode keeps {limit} ms between tokens for {carried:,.0f} of {rate:g} requests a second only"


def _compared(what, runs, quantity, requests):
    """Compare the p99 of both ways on the same requests; a difference counts if it has one sign in every run."""
    times = {name: [float(run.percentile(quantity, [99])[0]) for run in each] for name, each in runs.items()}
    ranges = " and ".join(f"{_range(min(each), max(each))} ({name})" for name, each in times.items())
    better = best_in_every_run(times)
    found = f"shorter with {better}" if better else f"no difference that {RUNS * requests:,} requests can show"
    return f"p99 of the {what} in {RUNS} runs: {ranges}, {found}."


def _sent(sent, link, rows):
    growing = " and ".join(row[0] for row in rows if row[2] == inf)
    grows = f" Where the TTFT grows ({growing}), more requests arrive than are carried." if growing else ""
    return f"The KV cache of a prompt is sent in {_time(1e3 * sent)} over {link}.{grows} Rates: {REACHED_WORDS}."


def _range(low, high):
    shortest, longest = _time(1e3 * low), _time(1e3 * high)
    return shortest if shortest == longest else f"{shortest} to {longest}"


def _time(milliseconds):
    return show(milliseconds / 1e3, "s", 2)
