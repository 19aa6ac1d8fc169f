"""The graded exercises of lab 3: decoding on real chips."""

import math

import numpy as np

from chip2cluster import roofline, specs

from .. import verdict as v
from .model import Exercise, Group, Mistake, Mutant


# --- shortest time -------------------------------------------------------------
def _kernels(generator):
    peak = generator.uniform(100e12, 2500e12, 6)
    bandwidth = generator.uniform(0.8e12, 8e12, 6)
    moved = generator.uniform(1e9, 90e9, 6)
    relative = np.concatenate([generator.uniform(0.01, 0.7, 3), generator.uniform(1.5, 9, 3)])
    rows = zip(moved * relative * peak / bandwidth, moved, peak, bandwidth)
    return [
        {"flops": f, "bytes_moved": m, "peak_flops": p, "memory_bandwidth": b}
        for f, m, p, b in rows
    ]


def _kernel_edges(generator):
    chip = {"peak_flops": 989.4e12, "memory_bandwidth": 3.35e12}
    return [{"flops": 0.0, "bytes_moved": 2e9, **chip}, {"flops": 1e12, "bytes_moved": 0.0, **chip}]


TIME = Exercise(
    id="lab.roofline.shortest_time",
    title="The shortest time",
    prompt=(
        "An operation takes flops FLOP and moves bytes_moved bytes. Computing and moving overlap completely. "
        "Return the shortest time it can take, in seconds."
    ),
    signature="shortest_time(flops, bytes_moved, peak_flops, memory_bandwidth)",
    unit="s",
    points=3,
    minutes=5,
    difficulty=1,
    importance=5,
    reference=roofline.kernel_time,
    groups=(
        Group("operations", 0.8, _kernels),
        Group("edges", 0.2, _kernel_edges, advice="A pure copy has 0 FLOP and a pure computation moves 0 bytes."),
    ),
    hints=(
        "Work out two times: how long would the arithmetic take alone, and how long the traffic?",
        "They run side by side. When are you done?",
        "When the slower of the two is: max(flops / peak, bytes / bandwidth).",
    ),
    explanation="It is the roofline read as time: two jobs side by side end when the longer one does.",
    mistakes=(
        Mistake(
            "no overlap",
            lambda flops, bytes_moved, peak_flops, memory_bandwidth: flops / peak_flops + bytes_moved / memory_bandwidth,
            "You added the two times. They overlap, so the longer one decides.",
        ),
        Mistake(
            "the shorter time",
            lambda flops, bytes_moved, peak_flops, memory_bandwidth: min(
                flops / peak_flops, bytes_moved / memory_bandwidth
            ),
            "You took the shorter of the two times. The operation is done when both are.",
        ),
        Mistake(
            "arithmetic alone",
            lambda flops, bytes_moved, peak_flops, memory_bandwidth: flops / peak_flops,
            "You counted the arithmetic alone. The bytes have to arrive as well.",
        ),
        Mistake(
            "traffic alone",
            lambda flops, bytes_moved, peak_flops, memory_bandwidth: bytes_moved / memory_bandwidth,
            "You counted the traffic alone. Right of the ridge the arithmetic takes longer.",
        ),
        Mistake(
            "bits for bytes",
            lambda flops, bytes_moved, peak_flops, memory_bandwidth: max(
                flops / peak_flops, 8 * bytes_moved / memory_bandwidth
            ),
            "You turned the traffic into bits. The bandwidth is in bytes/s.",
            v.UNIT,
        ),
        Mistake(
            "from the rate",
            lambda flops, bytes_moved, peak_flops, memory_bandwidth: flops
            / min(peak_flops, memory_bandwidth * flops / bytes_moved)
            if bytes_moved and flops
            else math.inf,
            "Dividing by the intensity fails when there is nothing to compute or to move. Compare the two times.",
            v.EDGES,
        ),
    ),
    mutants=(
        Mutant("def shortest_time(f, n, p, b):\n    return f / p + n / b", v.MISCONCEPTION, "added the two times"),
        Mutant("def shortest_time(f, n, p, b):\n    return min(f / p, n / b)", v.MISCONCEPTION, "shorter"),
        Mutant("def shortest_time(f, n, p, b):\n    return f / min(p, b * f / n)", v.EDGES, "pure copy", 0.8),
        Mutant("def shortest_time(f, n, p, b):\n    return n / b", v.MISCONCEPTION, "traffic alone"),
    ),
)


# --- attention intensity ---------------------------------------------------------
def attention_intensity(context, query_heads, kv_heads, head_dim):
    """Intensity of attention for one new bf16 token over a cache of ``context`` tokens."""
    return roofline.attention_decode(context, query_heads, head_dim, kv_heads).intensity


def _caches(generator):
    groups = (2, 4, 8, 3, 5)
    return [
        {
            "context": int(generator.integers(20, 200)),
            "query_heads": int(h) * g,
            "kv_heads": int(h),
            "head_dim": int(generator.integers(3, 20)) * 8,
        }
        for g, h in zip(groups, generator.integers(2, 12, 5))
    ]


def _shared(generator):
    return [
        {"context": 1, "query_heads": 8, "kv_heads": 8, "head_dim": 64},
        {"context": 131072, "query_heads": 64, "kv_heads": 1, "head_dim": 128},
    ]


def _attention(flops_per_mac=2, cached_heads=None, tensors=2, ends=2, size=2):
    def wrong(context, query_heads, kv_heads, head_dim):
        heads = query_heads if cached_heads == "query" else kv_heads
        flops = 2 * flops_per_mac * query_heads * context * head_dim
        return flops / (size * head_dim * (tensors * heads * context + ends * query_heads))

    return wrong


ATTENTION = Exercise(
    id="lab.roofline.attention_intensity",
    title="The intensity of decode attention",
    prompt=(
        "One new token attends to a cache of context tokens, in bf16. There are query_heads query heads and kv_heads key "
        "and value heads, each head_dim wide. Count two products (scores, weighted sum); read the keys, the values and "
        "the queries once, write the outputs once. Return the intensity in FLOP/byte."
    ),
    signature="attention_intensity(context, query_heads, kv_heads, head_dim)",
    unit="FLOP/byte",
    points=4,
    minutes=9,
    difficulty=3,
    importance=4,
    reference=attention_intensity,
    shows=(attention_intensity, roofline.attention_decode),
    groups=(
        Group("caches", 0.8, _caches),
        Group("edges", 0.2, _shared, advice="Try a cache of one token, and a single key-value head."),
    ),
    hints=(
        "Work: every query head meets every cached token twice, in the scores and in the weighted sum.",
        "Each of those is head_dim multiply-accumulates: 4 · query_heads · context · head_dim FLOP in all.",
        "Traffic in elements: 2 · kv_heads · context · head_dim for keys and values, 2 · query_heads · head_dim for "
        "query and output; 2 bytes each.",
    ),
    explanation=(
        "For a long context the query and the output vanish beside the cache, and what is left is "
        "query_heads / kv_heads: how many query heads share one cached head. The batch does not enter at all, since "
        "each sequence brings a cache of its own."
    ),
    mistakes=(
        Mistake(
            "grouped queries ignored",
            _attention(cached_heads="query"),
            "You read keys and values for every query head. Grouped heads share them: the cache has kv_heads heads.",
        ),
        Mistake(
            "multiply-accumulates counted once",
            _attention(flops_per_mac=1),
            "Half the work is missing: a multiply-accumulate is two operations, and there are two products.",
            v.FACTOR,
        ),
        Mistake("keys alone", _attention(tensors=1), "You read only one of keys and values. Both are cached, both are read."),
        Mistake("query and output forgotten", _attention(ends=0), "You left out the queries read and the outputs written."),
        Mistake("output forgotten", _attention(ends=1), "You counted only one of the queries read and the outputs written."),
        Mistake("element size forgotten", _attention(size=1), "You divided by elements. A bf16 element has 2 bytes."),
    ),
    mutants=(
        Mutant(
            "def attention_intensity(t, h, g, d):\n    return 4 * h * t * d / (2 * (2 * h * t * d + 2 * h * d))",
            v.MISCONCEPTION,
            "kv_heads heads",
        ),
        Mutant(
            "def attention_intensity(t, h, g, d):\n    return 2 * h * t * d / (2 * (2 * g * t * d + 2 * h * d))",
            v.FACTOR,
            "two products",
        ),
        Mutant("def attention_intensity(t, h, g, d):\n    return h / g", v.MISCONCEPTION, "left out the queries"),
        Mutant(
            "def attention_intensity(t, h, g, d):\n    return 4 * h * t * d / (2 * (g * t * d + 2 * h * d))",
            v.MISCONCEPTION,
            "both are read",
        ),
    ),
)


# --- what fits --------------------------------------------------------------------
def largest_batch(memory_gb, weights_gb, cache_gb):
    """How many sequences fit beside the weights; 0 when the weights do not fit."""
    return max(0, math.floor((memory_gb - weights_gb) / cache_gb))


def _budgets(generator):
    return [
        {"memory_gb": float(m), "weights_gb": round(float(m * w), 1), "cache_gb": round(float(c), 3)}
        for m, w, c in zip((80, 141, 192, 24, 96), generator.uniform(0.1, 0.7, 5), generator.uniform(0.31, 1.7, 5))
    ]


def _tight(generator):
    return [
        {"memory_gb": 80.0, "weights_gb": 140.0, "cache_gb": 0.7},
        {"memory_gb": 80.0, "weights_gb": 16.0, "cache_gb": 0.5},
    ]


FITS = Exercise(
    id="lab.roofline.largest_batch",
    title="What fits",
    prompt=(
        "A chip has memory_gb GB. The weights take weights_gb GB once, each sequence a cache of cache_gb GB. Return how "
        "many sequences fit, as a whole number: 0 if the weights alone do not fit."
    ),
    signature="largest_batch(memory_gb, weights_gb, cache_gb)",
    unit="sequences",
    points=3,
    minutes=5,
    difficulty=1,
    importance=4,
    reference=largest_batch,
    tolerance=1e-9,
    groups=(
        Group("budgets", 0.7, _budgets),
        Group("edges", 0.3, _tight, advice="A batch cannot be negative, and caches may fill the memory to the last byte."),
    ),
    hints=(
        "The weights are there once. What is left for caches?",
        "Divide the rest by one cache. Two thirds of a sequence is no sequence.",
        "max(0, math.floor((memory − weights) / cache)).",
    ),
    explanation="Capacity, not speed, often ends the batch: the roofline says what a batch gains, this says what it costs.",
    mistakes=(
        Mistake(
            "rounded up",
            lambda memory_gb, weights_gb, cache_gb: math.ceil((memory_gb - weights_gb) / cache_gb),
            "You rounded up: the last sequence does not fit.",
        ),
        Mistake(
            "not rounded",
            lambda memory_gb, weights_gb, cache_gb: (memory_gb - weights_gb) / cache_gb,
            "Sequences come whole: round down.",
        ),
        Mistake(
            "weights forgotten",
            lambda memory_gb, weights_gb, cache_gb: math.floor(memory_gb / cache_gb),
            "You filled the whole memory with caches. The weights live there too.",
        ),
        Mistake(
            "weights for each sequence",
            lambda memory_gb, weights_gb, cache_gb: math.floor(memory_gb / (weights_gb + cache_gb)),
            "You gave each sequence weights of its own. A batch shares one copy.",
        ),
        Mistake(
            "negative",
            lambda memory_gb, weights_gb, cache_gb: math.floor((memory_gb - weights_gb) / cache_gb),
            "When the weights do not fit the batch is 0, not negative.",
            v.EDGES,
        ),
    ),
    mutants=(
        Mutant(
            "import math\ndef largest_batch(m, w, c):\n    return math.ceil((m - w) / c)", v.MISCONCEPTION, "rounded up"
        ),
        Mutant("def largest_batch(m, w, c):\n    return int((m - w) // c)", v.EDGES, "not negative", 0.7),
        Mutant("def largest_batch(m, w, c):\n    return int(m // (w + c))", v.MISCONCEPTION, "shares one copy"),
        Mutant("def largest_batch(m, w, c):\n    return (m - w) / c", v.MISCONCEPTION, "round down"),
    ),
)


# --- tokens a second ----------------------------------------------------------------
def tokens_per_second(parameters, cache_bytes, batch, peak_flops, memory_bandwidth):
    """Tokens a second of a whole batch in bf16, weights read once a step."""
    step = roofline.decode_step(parameters, batch, cache_bytes, bytes_per_element=2)
    return batch / step.time(peak_flops, memory_bandwidth)


def _servers(generator):
    return [
        {
            "parameters": round(float(n), -8),
            "cache_bytes": round(float(c), -6),
            "batch": int(b),
            "peak_flops": float(p),
            "memory_bandwidth": float(w),
        }
        for n, c, b, p, w in zip(
            generator.uniform(1e9, 70e9, 6),
            (*generator.uniform(0.05e9, 3e9, 4), *generator.uniform(2e6, 9e6, 2)),
            (3, 7, 24, 56, 1400, 2900),
            (312e12, 989.4e12, 2250e12, 197e12, 165.2e12, 121e12),
            (2.039e12, 3.35e12, 8e12, 0.819e12, 1.008e12, 0.9e12),
        )
    ]


def _compute_bound(generator):
    rows = [
        {"parameters": 8e9, "cache_bytes": 0.0, "batch": 1024, "peak_flops": 312e12, "memory_bandwidth": 2.039e12},
        {"parameters": 8e9, "cache_bytes": 1e6, "batch": 2048, "peak_flops": 121e12, "memory_bandwidth": 0.3e12},
    ]
    return rows


def _step(cache_per_batch=True, weights_per_sequence=False, size=2, flops=2, combine=max, per_user=False):
    def wrong(parameters, cache_bytes, batch, peak_flops, memory_bandwidth):
        weights = size * parameters * (batch if weights_per_sequence else 1)
        caches = cache_bytes * (batch if cache_per_batch else 1)
        time = combine(flops * parameters * batch / peak_flops, (weights + caches) / memory_bandwidth)
        return (1 if per_user else batch) / time

    return wrong


TOKENS = Exercise(
    id="lab.roofline.tokens_per_second",
    title="Tokens a second of a batch",
    prompt=(
        "A step gives one token to each of batch sequences. It reads all parameters once, in bf16, and each sequence's "
        "cache of cache_bytes bytes; it computes 2 FLOP a parameter and sequence. Return the most tokens a second of "
        "the whole batch."
    ),
    signature="tokens_per_second(parameters, cache_bytes, batch, peak_flops, memory_bandwidth)",
    unit="tokens/s",
    points=4,
    minutes=8,
    difficulty=2,
    importance=5,
    reference=tokens_per_second,
    shows=(tokens_per_second, roofline.decode_step),
    groups=(
        Group("servers", 0.8, _servers),
        Group("edges", 0.2, _compute_bound, advice="With a large batch and small caches the arithmetic decides."),
    ),
    hints=(
        "First the time of one step: your shortest_time does it, once you know its FLOP and its bytes.",
        "Bytes: 2 · parameters, once for the whole batch, plus batch · cache_bytes. FLOP: 2 · parameters · batch.",
        "Each step gives batch tokens: batch / time.",
    ),
    explanation=(
        "The weights are shared by the batch, the caches are not. A bigger batch spreads the first over more tokens and "
        "pays the second for each: throughput rises, and levels off at bandwidth / cache_bytes or at the compute roof."
    ),
    mistakes=(
        Mistake(
            "one cache for all",
            _step(cache_per_batch=False),
            "You read one cache for the whole batch. Each sequence has a cache of its own.",
        ),
        Mistake(
            "weights for each sequence",
            _step(weights_per_sequence=True),
            "You read the weights once for each sequence. The batch shares one reading; that is what a batch is for.",
        ),
        Mistake("one user's rate", _step(per_user=True), "That is the rate of one user. The batch gives batch tokens a step."),
        Mistake(
            "element size forgotten", _step(size=1), "You counted one byte a parameter. In bf16 it is two."
        ),
        Mistake(
            "multiply-accumulates counted once",
            _step(flops=1),
            "You counted one FLOP a parameter and token. A multiply-accumulate is two.",
            v.FACTOR,
        ),
        Mistake(
            "no overlap",
            _step(combine=lambda a, b: a + b),
            "You added the time to compute and the time to read. They overlap: the longer one decides.",
        ),
        Mistake(
            "traffic alone",
            _step(combine=lambda a, b: b),
            "You counted the traffic alone. For a large batch the arithmetic takes longer.",
        ),
    ),
    mutants=(
        Mutant(
            "def tokens_per_second(n, c, k, p, b):\n    return k / max(2 * n * k / p, (2 * n + c) / b)",
            v.MISCONCEPTION,
            "a cache of its own",
        ),
        Mutant(
            "def tokens_per_second(n, c, k, p, b):\n    return k / max(2 * n * k / p, k * (2 * n + c) / b)",
            v.MISCONCEPTION,
            "shares one reading",
        ),
        Mutant(
            "def tokens_per_second(n, c, k, p, b):\n    return 1 / max(2 * n * k / p, (2 * n + k * c) / b)",
            v.MISCONCEPTION,
            "rate of one user",
        ),
        Mutant(
            "def tokens_per_second(n, c, k, p, b):\n    return k / ((2 * n + k * c) / b)", v.MISCONCEPTION, "traffic alone"
        ),
    ),
)


# --- real chips ---------------------------------------------------------------------
def rank_chips(names, parameters, cache_bytes, batch):
    """Names of the chips that hold the model in bf16, fastest decode first."""
    rates = {}
    for name in names:
        chip = specs.accelerator(name)
        if "bf16" not in chip.precisions_dense:
            continue
        if 2 * parameters + batch * cache_bytes > chip.memory_bytes:
            continue
        rates[name] = tokens_per_second(
            parameters, cache_bytes, batch, chip.peak_flops_dense("bf16"), chip.memory_bandwidth
        )
    return sorted(rates, key=rates.get, reverse=True)


CHIPS = (
    "A100 SXM 80GB",
    "H100 SXM",
    "H100 PCIe",
    "H200",
    "L40S",
    "MI300X",
    "TPU v5e",
    "TPU v5p",
    "V100 SXM2",
    "Gaudi 3",
    "B200",
)


def _shops(generator):
    models = ((8e9, 0.5e9, 8), (13e9, 1.6e9, 8), (30e9, 0.8e9, 12), (3e9, 0.2e9, 40))
    shops = []
    for parameters, cache_bytes, batch in models:
        names = [str(name) for name in generator.permutation(CHIPS)]
        shops.append({"names": names, "parameters": parameters, "cache_bytes": cache_bytes, "batch": batch})
    return shops


def _hard_shops(generator):
    return [
        {"names": ["L40S", "TPU v5e"], "parameters": 70e9, "cache_bytes": 0.3e9, "batch": 8},
        {"names": ["V100 SXM2", "L40S"], "parameters": 8e9, "cache_bytes": 0.1e9, "batch": 8},
    ]


def _ranked(value, fits=True, reverse=True):
    def wrong(names, parameters, cache_bytes, batch):
        kept = [name for name in names if "bf16" in specs.accelerator(name).precisions_dense]
        if fits:
            need = 2 * parameters + batch * cache_bytes
            kept = [name for name in kept if need <= specs.accelerator(name).memory_bytes]
        key = lambda name: value(specs.accelerator(name), parameters, cache_bytes, batch)
        return sorted(kept, key=key, reverse=reverse)

    return wrong


def _rate(chip, parameters, cache_bytes, batch):
    return tokens_per_second(parameters, cache_bytes, batch, chip.peak_flops_dense("bf16"), chip.memory_bandwidth)


RANK = Exercise(
    id="lab.roofline.rank_chips",
    title="Which chip decodes fastest?",
    prompt=(
        "From a list of chip names, keep those that have a dense bf16 peak and whose memory holds the bf16 weights and "
        "batch caches. Return the names, the most tokens a second first. Use specs.accelerator(name)."
    ),
    signature="rank_chips(names, parameters, cache_bytes, batch)",
    unit="",
    points=5,
    minutes=12,
    difficulty=3,
    importance=4,
    reference=rank_chips,
    shows=(rank_chips, tokens_per_second),
    groups=(
        Group("shops", 0.8, _shops),
        Group("edges", 0.2, _hard_shops, advice="Nothing may fit (return an empty list), and a V100 has no bf16 peak."),
    ),
    hints=(
        "For each name: chip = specs.accelerator(name), then chip.memory_bytes, chip.memory_bandwidth, "
        'chip.peak_flops_dense("bf16").',
        '"bf16" in chip.precisions_dense says whether it has the peak. What must fit is 2 · parameters + batch · cache_bytes.',
        "Put name and rate of the chips that remain in a dict and sort it: sorted(rates, key=rates.get, reverse=True).",
    ),
    explanation=(
        "At batch 8 every one of these chips is far left of its ridge, so the order is the order of memory bandwidth "
        "among the chips that hold the model. Peak FLOP/s hardly enters."
    ),
    mistakes=(
        Mistake(
            "ranked by peak",
            _ranked(lambda chip, *_: chip.peak_flops_dense("bf16")),
            "You ranked by peak FLOP/s. At this batch the memory decides; rank by tokens a second.",
        ),
        Mistake(
            "slowest first", _ranked(_rate, reverse=False), "Your list starts with the slowest chip. Fastest first."
        ),
        Mistake(
            "capacity ignored",
            _ranked(_rate, fits=False),
            "You kept chips whose memory cannot hold the weights and the caches.",
        ),
        Mistake(
            "ranked by capacity",
            _ranked(lambda chip, *_: chip.memory_bytes),
            "You ranked by the size of the memory. It must be large enough, but its speed decides.",
        ),
        Mistake(
            "weights alone must fit",
            lambda names, parameters, cache_bytes, batch: [
                name
                for name in _ranked(_rate, fits=False)(names, parameters, cache_bytes, batch)
                if 2 * parameters <= specs.accelerator(name).memory_bytes
            ],
            "You checked that the weights fit, and forgot the caches of the batch beside them.",
        ),
    ),
    mutants=(
        Mutant(
            "from chip2cluster import specs\n"
            "def rank_chips(names, parameters, cache_bytes, batch):\n"
            "    kept = [n for n in names if 'bf16' in specs.accelerator(n).precisions_dense\n"
            "            and 2 * parameters + batch * cache_bytes <= specs.accelerator(n).memory_bytes]\n"
            "    return sorted(kept, key=lambda n: -specs.accelerator(n).peak_flops_dense('bf16'))",
            v.MISCONCEPTION,
            "ranked by peak",
        ),
        Mutant(
            "from chip2cluster import specs\n"
            "def rank_chips(names, parameters, cache_bytes, batch):\n"
            "    kept = [n for n in names if 'bf16' in specs.accelerator(n).precisions_dense]\n"
            "    return sorted(kept, key=lambda n: -specs.accelerator(n).memory_bandwidth)",
            v.MISCONCEPTION,
            "cannot hold",
        ),
        Mutant(
            "from chip2cluster import specs\n"
            "def rank_chips(names, parameters, cache_bytes, batch):\n"
            "    kept = [n for n in names if 2 * parameters + batch * cache_bytes <= specs.accelerator(n).memory_bytes\n"
            "            and 'bf16' in specs.accelerator(n).precisions_dense]\n"
            "    return sorted(kept, key=lambda n: specs.accelerator(n).memory_bandwidth)",
            v.MISCONCEPTION,
            "slowest",
        ),
        Mutant("def rank_chips(names, parameters, cache_bytes, batch):\n    return names", v.REFUSED, "argument names"),
    ),
)


# --- measured against possible -----------------------------------------------------
def roofline_efficiency(measured_flops, intensity, peak_flops, memory_bandwidth):
    """Measured rate over the rate that the roofline allows."""
    return roofline.efficiency(measured_flops, intensity, peak_flops, memory_bandwidth)


def _measurements(generator):
    peak = generator.uniform(100e12, 2500e12, 6)
    bandwidth = generator.uniform(0.8e12, 8e12, 6)
    relative = np.concatenate([generator.uniform(0.005, 0.7, 3), generator.uniform(1.5, 9, 3)])
    share = generator.uniform(0.3, 0.95, 6)
    intensity = relative * peak / bandwidth
    rows = zip(share * np.minimum(peak, intensity * bandwidth), intensity, peak, bandwidth)
    return [{"measured_flops": m, "intensity": i, "peak_flops": p, "memory_bandwidth": b} for m, i, p, b in rows]


def _impossible(generator):
    return [
        {"measured_flops": 8.1e12, "intensity": 2.0, "peak_flops": 312e12, "memory_bandwidth": 2.039e12},
        {"measured_flops": 0.0, "intensity": 5.0, "peak_flops": 312e12, "memory_bandwidth": 2.039e12},
    ]


EFFICIENCY = Exercise(
    id="lab.roofline.efficiency",
    title="Measured against possible",
    prompt=(
        "A profiler measured measured_flops FLOP/s on an operation of the given intensity. Return the share of what the "
        "roofline allows there. Don't clip it: a share above 1 tells you that a number is wrong."
    ),
    signature="efficiency(measured_flops, intensity, peak_flops, memory_bandwidth)",
    unit="",
    points=3,
    minutes=5,
    difficulty=2,
    importance=4,
    reference=roofline_efficiency,
    shows=(roofline.efficiency,),
    groups=(
        Group("kernels", 0.8, _measurements),
        Group("edges", 0.2, _impossible, advice="A share above 1 is a finding: return it as it is."),
    ),
    hints=(
        "What is the best this operation could do on this chip?",
        "That is the roof above it: the smaller of peak and bandwidth × intensity.",
        "measured_flops / min(peak_flops, memory_bandwidth * intensity).",
    ),
    explanation=(
        "Divided by the peak, a perfect memory-bound kernel looks lazy. Divided by the roof above it, it scores 1: there "
        "is nothing left to tune in the kernel, only in the operation."
    ),
    mistakes=(
        Mistake(
            "share of the peak",
            lambda measured_flops, intensity, peak_flops, memory_bandwidth: measured_flops / peak_flops,
            "You divided by the peak. Left of the ridge the roof above the operation is lower than that.",
        ),
        Mistake(
            "memory roof alone",
            lambda measured_flops, intensity, peak_flops, memory_bandwidth: measured_flops
            / (memory_bandwidth * intensity),
            "You divided by the memory roof. Right of the ridge the compute roof is lower.",
        ),
        Mistake(
            "larger roof",
            lambda measured_flops, intensity, peak_flops, memory_bandwidth: measured_flops
            / max(peak_flops, memory_bandwidth * intensity),
            "You divided by the larger roof. The smaller one is what the operation can reach.",
        ),
        Mistake(
            "upside down",
            lambda measured_flops, intensity, peak_flops, memory_bandwidth: min(peak_flops, memory_bandwidth * intensity)
            / max(measured_flops, 1e-300),
            "Your share is upside down: measured over possible.",
        ),
        Mistake(
            "clipped",
            lambda measured_flops, intensity, peak_flops, memory_bandwidth: min(
                1.0, measured_flops / min(peak_flops, memory_bandwidth * intensity)
            ),
            "You clipped the share at 1. A share above 1 is a finding: the traffic or a peak is wrong.",
            v.EDGES,
        ),
    ),
    mutants=(
        Mutant("def efficiency(m, i, p, b):\n    return m / p", v.MISCONCEPTION, "divided by the peak"),
        Mutant("def efficiency(m, i, p, b):\n    return m / (b * i)", v.MISCONCEPTION, "memory roof"),
        Mutant("def efficiency(m, i, p, b):\n    return min(1, m / min(p, b * i))", v.EDGES, "clipped", 0.8),
        Mutant("def efficiency(m, i, p, b):\n    return 100 * m / min(p, b * i)", v.UNIT, "100 times"),
    ),
)

EXERCISES = (TIME, ATTENTION, FITS, TOKENS, RANK, EFFICIENCY)
