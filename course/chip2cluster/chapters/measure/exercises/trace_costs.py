"""Exercise on the costs of a step by kind of kernel, from a trace with several streams."""

import numpy as np

from chip2cluster import measure
from chip2cluster.exercise import verdict_codes as v
from chip2cluster.exercise.model import Exercise, Group, Mistake

from ..mutants import MUTANTS

KINDS = {
    "nvjet": "products", "flash": "attention", "copy_kernel": "conversions", "Fused": "optimizer", "layer_norm": "normalization",
}  # fmt: skip
NAMES = {
    "nvjet": ("nvjet_sm90_tst_256x128", "nvjet_sm90_tst_128x256"),
    "flash": ("pytorch_flash::flash_fwd_kernel", "pytorch_flash::flash_bwd_kernel"),
    "copy_kernel": ("bfloat16_copy_kernel_cuda", "direct_copy_kernel_cuda"),
    "Fused": ("multi_tensor_apply_kernel<FusedAdam>",),
    "layer_norm": ("vectorized_layer_norm_kernel", "layer_norm_grad_input_kernel"),
    "": ("reduce_kernel", "vectorized_gather_kernel"),
}


def idle_time(start, seconds):
    """Seconds between the first start and the last end in which no kernel runs."""
    idle, until = 0.0, None
    for begin, length in sorted(zip(start, seconds, strict=True)):
        if until is not None:
            idle += max(0.0, begin - until)
        until = begin + length if until is None else max(until, begin + length)
    return idle


def trace_costs(names, start, seconds, stream, kinds, *, idle=idle_time, of=sum):
    """Names of the kinds and 'idle', by falling time."""
    found: dict[str, list[float]] = {}
    for name, length in zip(names, seconds, strict=True):
        kind = next((kind for part, kind in kinds.items() if part in name), "other")
        found.setdefault(kind, []).append(float(length))
    costs = {kind: float(of(lengths)) for kind, lengths in found.items()}
    costs["idle"] = idle(start, seconds) if idle is idle_time else idle(start, seconds, stream)
    return sorted(costs, key=lambda kind: -costs[kind])


# Four kernels on two streams: products 5 s, attention 3 s, both at once for 2 s, idle 4 s.
BY_HAND = {
    "names": ["nvjet_sm90_tst_256x128", "pytorch_flash::flash_fwd_kernel", "nvjet_sm90_tst_128x256", "reduce_kernel"],
    "start": np.array([0.0, 1.0, 6.0, 10.0]),
    "seconds": np.array([3.0, 3.0, 2.0, 1.0]),
    "stream": [7, 20, 7, 7],
    "kinds": KINDS,
}


def _draw(generator):
    """A trace of two streams whose costs are far enough apart to be ordered."""
    while True:
        count = int(generator.integers(14, 26))
        parts = generator.choice([*NAMES], count, p=generator.dirichlet(np.full(len(NAMES), 2.0)))
        names = [str(generator.choice(NAMES[str(part)])) for part in parts]
        scale = dict(zip(NAMES, generator.uniform(0.3, 3, len(NAMES)), strict=True))
        seconds = np.array([1e-4 * scale[str(part)] * generator.uniform(0.5, 1.5) for part in parts]).round(7)
        second = generator.random(count) < 0.35
        gaps = 1e-4 * generator.uniform(0.1, 2.0) * generator.exponential(1.0, count)
        start, ends = np.zeros(count), {7: 0.0, 20: 0.0}
        for place in range(count):
            lane = 20 if second[place] else 7
            start[place] = ends[lane] + gaps[place]
            ends[lane] = start[place] + seconds[place]
        order = np.argsort(start)
        drawn = {
            "names": [names[place] for place in order],
            "start": start[order].round(7),
            "seconds": seconds[order],
            "stream": [20 if second[place] else 7 for place in order],
            "kinds": {str(part): KINDS[str(part)] for part in generator.permutation([*KINDS])},
        }
        if _clear(drawn):
            return drawn


def _clear(drawn):
    """Whether no two costs are so close that rounding orders them."""
    costs: dict[str, float] = {}
    for name, length in zip(drawn["names"], drawn["seconds"], strict=True):
        kind = next((kind for part, kind in KINDS.items() if part in name), "other")
        costs[kind] = costs.get(kind, 0.0) + float(length)
    values = np.sort([*costs.values(), idle_time(drawn["start"], drawn["seconds"])])
    return len(values) > 3 and values[0] > 0 and bool(np.all(np.diff(values) > 0.02 * values[1:]))


def _traces(generator):
    return [BY_HAND, *(_draw(generator) for _ in range(7))]


def _by_stream(start, seconds, stream):
    lanes: dict[int, list[tuple[float, float]]] = {}
    for begin, length, lane in zip(start, seconds, stream, strict=True):
        lanes.setdefault(lane, []).append((begin, length))
    return sum(idle_time(*zip(*lane, strict=True)) for lane in lanes.values())


def _first_stream(start, seconds, stream):
    chosen = [(begin, length) for begin, length, lane in zip(start, seconds, stream, strict=True) if lane == stream[0]]
    return idle_time(*zip(*chosen, strict=True))


def _span_less_sum(start, seconds, stream):
    return float(np.max(np.asarray(start) + seconds) - np.min(start) - np.sum(seconds))


def _signed(start, seconds, stream):
    order = np.argsort(start)
    begin, end = np.asarray(start)[order], (np.asarray(start) + seconds)[order]
    return float(np.maximum(0, begin[1:] - end[:-1]).sum())


def _like(**other):
    return lambda names, start, seconds, stream, kinds: trace_costs(names, start, seconds, stream, kinds, **other)


def _no_idle(names, start, seconds, stream, kinds):
    return [kind for kind in trace_costs(names, start, seconds, stream, kinds) if kind != "idle"]


def _no_other(names, start, seconds, stream, kinds):
    return [kind for kind in trace_costs(names, start, seconds, stream, kinds) if kind != "other"]


TRACE_COSTS = Exercise(
    id="measure.trace_costs",
    title="Read a trace",
    signature="trace_costs(names, start, seconds, stream, kinds)",
    unit="",
    points=4,
    reference=trace_costs,
    shows=(trace_costs, idle_time),
    groups=(Group("traces", 1.0, _traces, v.VALUE),),
    hints=(
        "Two sums are needed: the seconds of each kind, and the seconds in which nothing runs. The streams matter for only one of them.",
        "Sort the kernels by their start and remember the latest end so far, on any stream. When does a gap begin, and when does it end?",
        "A gap is the next start minus the latest end so far, if that is positive. Add the gaps under the name 'idle', then sort the names "
        "by their seconds, largest first.",
    ),
    solution="""
def trace_costs(names, start, seconds, stream, kinds):
    costs = {"idle": 0.0}
    until = min(start)
    for begin, length, name in sorted(zip(start, seconds, names)):
        kind = next((kind for part, kind in kinds.items() if part in name), "other")
        costs[kind] = costs.get(kind, 0.0) + length
        costs["idle"] += max(0.0, begin - until)
        until = max(until, begin + length)
    return sorted(costs, key=costs.get, reverse=True)
""",
    explanation=(
        "The cost of a kind is the sum of its kernels, not its longest kernel and not their number. The device is idle "
        "only while no stream runs anything, so the end to remember is the latest of all streams. Overlapping kernels "
        "count once in the time of the step and twice in the sum of the kernels, so the span minus the sum is not the "
        "idle time."
    ),
    meaning=lambda: (
        f"In the recorded step of an H100, {measure.recorded_trace().by_kind()['conversions'][0]} conversions, none of them long, take "
        f"{1e3 * measure.recorded_trace().by_kind()['conversions'][1]:.1f} ms, twice as long as the optimizer."
    ),
    mutants=MUTANTS["measure.trace_costs"],
    mistakes=(
        Mistake("gaps of each stream", _like(idle=_by_stream), "You added the gaps of each stream. While one stream pauses another may work: "
                "the device is idle only when no stream runs anything."),
        Mistake("gaps of one stream", _like(idle=_first_stream), "You looked at the gaps of one stream. Another stream may be working during them."),
        Mistake("span minus the sum", _like(idle=_span_less_sum), "You took the span minus the sum of the kernels. Kernels that overlap count "
                "twice in that sum, so the idle time comes out too small."),
        Mistake("from the previous end", _like(idle=_signed), "You measured each gap from the end of the previous kernel. An earlier "
                "kernel on another stream may still run: remember the latest end so far."),
        Mistake("the longest kernel", _like(of=max), "You ordered the kinds by their longest kernel. Many short kernels can cost more than a "
                "long one: add them up."),
        Mistake("the number of kernels", _like(of=len), "You ordered the kinds by the number of kernels. What counts is their seconds."),
        Mistake("no idle time", _no_idle, "The idle time is missing. It is a cost like the others: 'idle' belongs in the list."),
        Mistake("only the listed kinds", _no_other, "Kernels whose name contains none of the parts are missing. Together they are 'other'."),
        Mistake("smallest first", lambda **inputs: trace_costs(**inputs)[::-1], "Right, but in the other order: the largest cost comes first."),
    ),
)  # fmt: skip
