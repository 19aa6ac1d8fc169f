"""Explorer of two pools: some replicas read prompts, the others write, and the cache travels between them."""

from functools import lru_cache
from math import ceil
from typing import Any

from chip2cluster import draw, links, serving
from chip2cluster.explore.base import Explorer
from chip2cluster.explore.controls import Choice, Slider
from chip2cluster.explore.custom_service import REACHED, REACHED_WORDS, named_deployment, rate_slider, request_rates
from chip2cluster.explore.frame import Column, Frame, Table
from chip2cluster.explore.static_states import ALL, Strip
from chip2cluster.units import show

REPLICAS, SEED = 8, 1
MOST, TOKENS = 80, 64 * 80  # requests and tokens of a simulation at most: so few that the picture follows the hand
RATES = (40, 60, 80, 90, 100, 110, 120, 140)
SHARES = (0.3, 0.45, 0.6, 0.7, 0.75, 0.8, 0.9, 1.05)
TOGETHER = {"chunked prefill": "chunked", "whole prompts first": "prefill_first"}
LINKS = {
    "NVLink 4": links.nvlink(4).bandwidth_one_way,
    "InfiniBand NDR": links.infiniband("NDR").bandwidth_one_way,
    "25 Gb/s Ethernet": 25e9 / 8,
}


class Pools(Explorer):
    """Split eight replicas into prefill and decode instances.

    Prompts of one length and outputs of mixed length; a simulation of at most 80 requests.

    Parameters
    ----------
    reading : int
        Number of prefill instances among the eight, 1 to 7.
    model, chip, devices, precision
        Configuration of each replica, as in `serving.deploy`: a published model or your `transformer.Config`, a chip's name or your
        `specs.own`.
    **values
        Start values of the other controls: ``rate`` (requests a second, all replicas together; yours joins those of the slider), ``prompt`` (tokens),
        ``limit`` (ms between tokens that a decode instance keeps), ``link`` (what the cache travels over), ``beside``
        (how eight replicas that do both fill their steps).

    Raises
    ------
    ValueError, TypeError
        For an unknown control, a value that it does not offer, and a model that does not fit: the message says how many
        devices hold it.

    Examples
    --------
    >>> from chip2cluster import explore
    >>> few, enough = (explore.pools(reading).table[0]["TTFT, p99 (ms)"] for reading in (3, 6))
    >>> few > 4 * enough
    True
    """

    title = "Prefill and decode instances"
    positional = ("reading",)
    controls = (
        Slider(name="reading", label="Prefill instances", options=tuple(range(1, REPLICAS)), default=4, unit=f"of {REPLICAS}"),
        Slider(name="rate", label="Requests a second, in total", options=RATES, default=80, text="{:g}".format),
        Choice(name="prompt", label="Prompt", options=(500, 1000, 2000, 4000), default=2000, text="{:,}".format, unit="tokens"),
        Choice(name="output", label="Output, on average", options=(16, 64, 256), default=64, unit="tokens", more=True),
        Choice(name="limit", label="Output, on average", options=(12, 15, 20, 30, 50, 100), default=20, unit="ms", more=True),
        Choice(name="link", label="KV cache travels over", options=tuple(LINKS), default="InfiniBand NDR", more=True),
        Choice(name="beside", label="Compared with eight that do both", options=tuple(TOGETHER), default="chunked prefill", more=True),
    )  # fmt: skip
    strip = Strip("reading", {"rate": ALL, "prompt": (500, 2000)})

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
        apart = _apart(deployment, rate, prompt, output, reading, sent)
        beside = _together(deployment, rate, prompt, output, TOGETHER[values["beside"]])
        alone = serving.time_between_tokens(deployment, prompt + ceil(output / 2), efficiency=REACHED)
        limit = max(1e-3 * values["limit"], alone * (1 + 1e-9))  # what nobody can keep is the nearest that one can
        each = serving.pool_rates(deployment, prompt, output, limit, efficiency=REACHED)
        carried = min(reading * each.prefill, (REPLICAS - reading) * each.decode)
        rows = (
            (f"{reading} prefill, {REPLICAS - reading} decode", float(carried), *_waits(apart)),
            (f"all do both, {values['beside']}", float("nan"), *_waits(beside)),
        )
        subject = f"{REPLICAS} × {self._service}, prompts of {prompt:,} tokens, {rate:g} a second"
        if alone > 1e-3 * values["limit"]:
            title = (
                f"No split keeps {values['limit']} ms: even alone, a sequence waits {_time(1e3 * alone)} for a token"
            )
            needed = f"The rates here are those for {_time(1e3 * limit)} between tokens."
        else:
            title = _found(carried, rate, reading * each.prefill < (REPLICAS - reading) * each.decode)
            needed = _needed(ceil(rate / each.prefill), ceil(rate / each.decode))
        say = f"{needed} {_say(rows, sent, values['link'], len(apart.requests))}"
        picture = draw.pools(
            each.prefill, each.decode, REPLICAS, reading, rate, title=title, subtitle=subject,
            description=f"{title}. {subject}. {say}",
        )  # fmt: skip
        return Frame(picture, Table(subject, COLUMNS, rows, marked=0), say)


@lru_cache(maxsize=128)
def _requests(rate, prompt, output):
    count = max(30, min(MOST, TOKENS // output, int(rate)))
    return serving.poisson_requests(rate, count, prompt, serving.geometric_lengths(output, count, SEED), SEED)


@lru_cache(maxsize=512)
def _apart(deployment, rate, prompt, output, reading, sent):
    reader = serving.replica(deployment, REACHED, policy="prefill_first")
    writer = serving.replica(deployment, REACHED)
    pools = [reader] * reading, [writer] * (REPLICAS - reading)
    return serving.disaggregate(_requests(rate, prompt, output), *pools, sent)


@lru_cache(maxsize=256)
def _together(deployment, rate, prompt, output, policy):
    rules = serving.replica(deployment, REACHED, policy=policy)
    return serving.simulate(_requests(rate, prompt, output), [rules] * REPLICAS)


def _waits(run):
    waits = (run.percentile(what, [50, 99]) for what in ("time_to_first_token", "time_between_tokens"))
    return tuple(1e3 * float(wait) for pair in waits for wait in pair)


MILLISECONDS = lambda time: f"{time:,.0f}" if time >= 100 else f"{time:.3g}"
COLUMNS = (
    Column("eight replicas"),
    Column("serve at most", "requests/s", lambda rate: "–" if rate != rate else f"{rate:,.0f}"),
    Column("TTFT, median", "ms", MILLISECONDS),
    Column("TTFT, p99", "ms", MILLISECONDS),
    Column("ITL, median", "ms", MILLISECONDS),
    Column("ITL, p99", "ms", MILLISECONDS),
)


def _needed(readers, writers):
    total = readers + writers
    more = "" if total <= REPLICAS else f", more than the {REPLICAS} available"
    return f"At least {readers} must prefill and {writers} decode, {total} in total{more}."


def _found(carried, rate, readers):
    if carried < rate:
        return f"{'Prompts queue up' if readers else 'Answers queue up'}: {carried:,.0f} of {rate:g} requests a second are served"
    return f"All {rate:g} requests a second are served; the limit is {carried:,.0f}"


def _say(rows, sent, link, count):
    apart, beside = ([_time(value) for value in row[2:]] for row in rows)
    return (
        f"The p99 of the TTFT is {apart[1]} and of the ITL {apart[3]}; if all eight do both, {beside[1]} and "
        f"{beside[3]}. Sending the keys and values of a prompt over {link} takes {_time(1e3 * sent)}. The run is small, "
        f"{count} requests, so its p99 is rough. Rates: {REACHED_WORDS}."
    )


def _time(milliseconds):
    return show(milliseconds / 1e3, "s", 2)
