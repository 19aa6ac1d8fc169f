"""Explorer of a service: prompts arrive, a batch forms, and users wait for first tokens and for next ones."""

from functools import lru_cache
from typing import Any

import numpy as np

from chip2cluster import draw, serving
from chip2cluster.draw.pictures.serving_steps import round_up
from chip2cluster.explore.base import Explorer
from chip2cluster.explore.controls import Choice, Slider
from chip2cluster.explore.custom_service import REACHED_WORDS, SPEEDS, named_deployment, rate_slider, request_rates
from chip2cluster.explore.frame import Column, Extent, Frame, Table
from chip2cluster.explore.repeated_runs import RUNS, best_in_every_run
from chip2cluster.explore.static_states import ALL, Strip
from chip2cluster.serving.routers import ROUTER_LABELS as ROUTERS
from chip2cluster.units import show

MOST, LONGEST, SEED = 240, 12.0, 1  # requests that a run has at most, seconds in which they arrive, and their draw
BEHIND, MOST_BEHIND = 4, 400  # replicas behind a router, and requests of each run then, all replicas together
PREFIXES, SHARED = 64, 0.5  # there each prompt begins with one of so many texts, half of its tokens
SHORT = 10  # output tokens there, on average
RATES = (5, 10, 15, 20, 25, 30, 35, 40, 50)
SHARES = (0.1, 0.2, 0.4, 0.6, 0.7, 0.8, 0.9, 1.0, 1.2)
POLICIES = {"chunked prefill": "chunked", "whole prompts first": "prefill_first", "static batching": "static"}
ONE, MANY = "the steps of one replica", f"{BEHIND} replicas behind a router"
STEPS = 300  # that the time axis has room for, at the bound of a step


def _short(output, shown):
    return f"answers behind a router have {SHORT} tokens" if shown["seen"] == MANY else None


class Serve(Explorer):
    """Let prompts arrive at a replica, and see what fills its steps and how long users wait.

    A simulation of at most 240 requests that arrive at random, for outputs of mixed length; five of 400 behind a router.

    Parameters
    ----------
    rate : float
        Mean requests a second for each replica; yours joins those of the slider.
    model, chip, devices, precision
        Arguments of `serving.deploy`: a published model or your `transformer.Config`, a chip's name or your `specs.own`.
    **values
        Start values of the other controls: ``policy`` (``"chunked prefill"``, ``"whole prompts first"`` or
        ``"static batching"``), ``step_tokens`` (tokens in a step at most), ``seen`` (one replica, or four behind a
        router), ``prompt`` and ``output`` (tokens), ``speed`` (``"measured kernels"`` or ``"datasheet rates"``).

    Raises
    ------
    ValueError, TypeError
        For an unknown control, a value that it does not offer, and a model that does not fit: the message says how many
        devices hold it.

    Examples
    --------
    >>> from chip2cluster import explore
    >>> calm, full = (explore.serve(rate=rate).table[0]["p99 (ms)"] for rate in (10, 35))
    >>> full > 5 * calm
    True
    """

    title = "A service at work"
    extent = Extent(letters=430, rows=3)
    positional = ("rate",)
    controls = (
        Slider(name="rate", label="Requests a second per replica", options=RATES, default=20, text="{:g}".format),
        Choice(name="policy", label="Scheduling of a step", options=tuple(POLICIES), default="chunked prefill"),
        Choice(
            name="step_tokens", label="Tokens per step, at most", options=(256, 512, 1024, 2048, 8192), default=2048,
            text="{:,}".format,
        ),
        Choice(name="seen", label="Shown", options=(ONE, MANY), default=ONE, more=True),
        Choice(name="prompt", label="Prompt", options=(250, 1000, 4000), default=1000, text="{:,}".format, unit="tokens", more=True),
        Choice(
            name="output", label="Output, on average", options=lambda shown: (SHORT,) if shown["seen"] == MANY else (25, 100, 400),
            default=100, text="{:,}".format, unit="tokens", more=True, why=_short,
        ),
        Choice(name="speed", label="Rates", options=tuple(SPEEDS), default="measured kernels", more=True),
    )  # fmt: skip
    strip = Strip("rate", {"policy": ALL, "step_tokens": (256, 512, 2048, 8192)}, steps=(5, 10, 20, 25, 30, 35, 40))

    def __init__(self, *given, model="Llama 3 8B", chip="H100 SXM", devices=1, precision="bf16", **values):
        self._service, self._deployment = named_deployment(model, chip, devices, precision)
        own = (model, chip, devices, precision) != ("Llama 3 8B", "H100 SXM", 1, "bf16")
        rates = request_rates(self._deployment, 1000, 100, SHARES) if own else RATES
        values = self._named(given, values)
        self.controls = (rate_slider(self.controls[0], rates, rates[3], values.get("rate")), *self.controls[1:])
        super().__init__(**values)

    def frame(self, values: dict[str, Any]) -> Frame:
        prompt, rate = values["prompt"], values["rate"]
        subject = (
            f"{values['policy']}, at most {values['step_tokens']:,} tokens a step, prompts of {prompt:,} tokens, "
            f"{rate:g} requests a second"
        )
        rules = rate, POLICIES[values["policy"]], values["step_tokens"], prompt, values["output"], values["speed"]
        if values["seen"] == MANY:
            return _behind(
                values,
                {name: _runs(self._deployment, *rules, router) for name, router in ROUTERS.items()},
                subject,
                self._service,
            )
        alone = (
            serving.time_to_first_token(self._deployment, prompt),
            serving.time_between_tokens(self._deployment, prompt),
        )
        shortest = serving.time_between_tokens(self._deployment, 1000)
        axes = round_up(STEPS * shortest), round_up(20 * shortest)
        return _one(
            values, _run(self._deployment, *rules), self._deployment.cache_blocks(), subject, self._service, alone, axes
        )


@lru_cache(maxsize=512)
def _run(deployment, rate, policy, step_tokens, prompt, output, speed):
    rules = serving.replica(deployment, SPEEDS[speed], policy=policy, step_tokens=step_tokens)
    count = max(20, min(MOST, int(LONGEST * rate)))
    lengths = serving.geometric_lengths(output, count, SEED)
    return serving.simulate(serving.poisson_requests(rate, count, prompt, lengths, SEED), rules)


@lru_cache(maxsize=256)
def _runs(deployment, rate, policy, step_tokens, prompt, output, speed, router):
    """Runs of four replicas behind a router; run number i has the same requests for every router."""
    rules = serving.replica(deployment, SPEEDS[speed], policy=policy, step_tokens=step_tokens)
    shared, runs = int(SHARED * prompt), []
    for seed in range(SEED, SEED + RUNS):
        prompts = shared + serving.geometric_lengths(prompt - shared, MOST_BEHIND, seed + RUNS)
        answers = serving.geometric_lengths(output, MOST_BEHIND, seed)
        requests = serving.poisson_requests(
            BEHIND * rate, MOST_BEHIND, prompts, answers, seed, prefixes=PREFIXES, prefix_tokens=shared
        )
        runs.append(serving.simulate(requests, [rules] * BEHIND, router))
    return runs


MILLISECONDS = lambda time: f"{time:,.0f}" if time >= 100 else f"{time:.3g}"
WAITS = (
    Column("what a user waits for"),
    Column("alone, at least", "ms", MILLISECONDS),
    Column("median", "ms", MILLISECONDS),
    Column("p99", "ms", MILLISECONDS),
)
BEHIND_COLUMNS = (
    Column("routing policy"),
    Column("median", "ms", MILLISECONDS),
    Column("p99", "ms", MILLISECONDS),
    Column("p99, lowest run", "ms", MILLISECONDS),
    Column("p99, highest run", "ms", MILLISECONDS),
    Column("prefix cache hits", "% of prompt tokens", "{:.0f}".format),
)


def _one(values, run, blocks, subject, service, alone, axes):
    first = 1e3 * run.percentile("time_to_first_token", [50, 99])
    between = 1e3 * np.percentile(_gaps(run), [50, 99])
    rows = (
        ("first token (TTFT)", 1e3 * alone[0], *map(float, first)),
        ("each next token (ITL)", 1e3 * alone[1], *map(float, between)),
    )
    seconds, top = axes
    gap = _gap_like(run, between[1] / 1e3)
    begin, shown = _window(run.steps, gap, seconds)
    while top < float((run.steps.end - run.steps.start).max()):
        top *= 5
    marks = _marks(run, gap, run.steps.start[begin], seconds)
    title = f"99th percentile: TTFT {_time(first[1])}, ITL {_time(between[1])}"
    picture = draw.serving_steps(
        run, blocks, first=begin, steps=shown, seconds=seconds, step_seconds=top, waits=marks, title=title,
        subtitle=service,
    )  # fmt: skip
    return Frame(picture, Table(subject, WAITS, rows), _say(values, run, first, between))


def _gap_like(run, seconds):
    """Begin and end of a gap between two tokens as long as this, in the middle of the arrivals where there are several."""
    last = run.requests.arrival_seconds[-1]
    begin, end = (np.concatenate([times[cut] for times in run.token_seconds]) for cut in (slice(-1), slice(1, None)))
    off = np.abs(end - begin - seconds) + np.where(end > last, last, 0.0)
    like = np.flatnonzero(off <= max(off.min(), 0.001 * seconds))
    one = like[np.argmin(np.abs(end[like] - last / 2))]
    return float(begin[one]), float(end[one])


def _window(steps, gap, seconds):
    """First step and number of the steps around a gap that end within so many seconds."""
    from_ = min(max(0.0, sum(gap) / 2 - seconds / 2), max(0.0, float(steps.end[-1]) - seconds))
    first = int(np.searchsorted(steps.start, from_ - 1e-9))
    after = int(np.searchsorted(steps.end, steps.start[first] + seconds, "right"))
    return first, max(1, after - first)


def _marks(run, gap, begin, seconds):
    """The gap of the title, and the longest of the waits for a first token that are in the picture."""
    arrival, first = run.requests.arrival_seconds, np.array([times[0] for times in run.token_seconds])
    seen = np.flatnonzero((arrival < begin + seconds) & (first > begin))
    marks = [draw.Wait(f"a gap of {_time(1e3 * (gap[1] - gap[0]))} between two tokens", *gap)]
    if seen.size:
        one = seen[np.argmax(first[seen] - arrival[seen])]
        wait = _time(1e3 * float(first[one] - arrival[one]))
        marks.append(draw.Wait(f"longest wait here for a first token: {wait}", float(arrival[one]), float(first[one])))
    return marks


def _gaps(run):
    """Seconds between tokens while requests still arrive; afterwards the server empties, and tokens hurry."""
    last = run.requests.arrival_seconds[-1]
    gaps = np.concatenate([np.diff(times)[times[1:] <= last] for times in run.token_seconds])
    return gaps if gaps.size else run.time_between_tokens


def _say(values, run, first, between):
    last = run.requests.arrival_seconds[-1]
    unread = sum(times[0] > last for times in run.token_seconds) - 1
    queue = f" When the last request arrives, {unread} before it have no token yet." if unread > 9 else ""
    read = run.preemptions and f" {run.preemptions} sequences were preempted and prefilled again."
    rates = (
        f" Rates: {REACHED_WORDS}."
        if values["speed"] == "measured kernels"
        else " Rates of the datasheet, which nothing reaches."
    )
    return (
        f"Half of the users see the first token within {_time(first[0])}, 99 of 100 within {_time(first[1])}; then a token every "
        f"{_time(between[0])}, one gap in a hundred longer than {_time(between[1])}. "
        f"Gaps count while requests still arrive. One run of {len(run.requests)} requests in {_time(1e3 * last)}: "
        f"the p99 of another differs.{queue}{read or ''}{rates}"
    )


def _behind(values, runs, subject, service):
    waits = {name: np.concatenate([run.time_to_first_token for run in each]) for name, each in runs.items()}
    late = {
        name: [1e3 * float(run.percentile("time_to_first_token", [99])[0]) for run in each]
        for name, each in runs.items()
    }
    rows = tuple(
        (name, *(1e3 * np.percentile(waits[name], [50, 99])).tolist(), min(late[name]), max(late[name]), _spared(each))
        for name, each in runs.items()
    )
    count = sum(len(run.requests) for run in next(iter(runs.values())))
    best = best_in_every_run(late)
    title = (
        f"{best.capitalize()} has the lowest p99 of the TTFT in each of {RUNS} runs"
        if best
        else f"p99 of the TTFT: no difference that {count:,} requests can show"
    )
    say = " ".join(
        f"{row[0].capitalize()}: p99 of {_time(row[2])}, {_time(row[3])} to {_time(row[4])} in {RUNS} runs."
        for row in rows
    )
    say += (
        f" Prompts are of mixed length and begin with one of {PREFIXES} texts, half of each; answers are short, {SHORT} tokens "
        f"on average. All policies get the same {count:,} requests."
    )
    picture = draw.latency_distribution(
        [draw.Tail(name, each) for name, each in waits.items()], axis="Time to first token", title=title,
        subtitle=service, description=f"{title}. {say}",
    )  # fmt: skip
    return Frame(picture, Table(subject, BEHIND_COLUMNS, rows, marked=tuple(runs).index(best) if best else None), say)


def _spared(runs):
    """Prompt tokens whose keys and values were cached, % of all."""
    return 100 * sum(run.tokens_from_prefix for run in runs) / float(sum(run.requests.prompt.sum() for run in runs))


def _time(milliseconds):
    return f"{MILLISECONDS(milliseconds)} ms" if milliseconds < 999.5 else show(milliseconds / 1e3, "s", 3)
