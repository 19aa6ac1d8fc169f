"""Parsers of the logs and benchmark tables of vLLM and SGLang."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import NamedTuple

from ._lines import line_error, normalized_lines, whole_line


class ServingBenchmark(NamedTuple):
    """Result of ``vllm bench serve`` or SGLang's ``bench_serving``.

    Attributes
    ----------
    requests : int
        Number of successful requests.
    seconds : float
        Duration, seconds.
    requests_per_second, output_tokens_per_second : float
        Throughputs.
    total_tokens_per_second : float or None
        Throughput of prompts and answers; None if it is not in the text.
    ttft_seconds, tpot_seconds, itl_seconds : mapping of str to float
        Times to first token, per output token and between tokens, by statistic such as ``"mean"``, ``"median"``, ``"p99"``.
    """

    requests: int
    seconds: float
    requests_per_second: float
    output_tokens_per_second: float
    total_tokens_per_second: float | None
    ttft_seconds: Mapping[str, float]
    tpot_seconds: Mapping[str, float]
    itl_seconds: Mapping[str, float]


class ServingLog(NamedTuple):
    """Memory and load that a vLLM or SGLang server logs at its start and while it runs.

    Attributes
    ----------
    program : str
        ``"vLLM"`` or ``"SGLang"``.
    cache_tokens : int or None
        Tokens whose keys and values fit.
    cache_bytes : float or None
        Memory of the cache of one device, bytes.
    weight_bytes : float or None
        Memory of the weights of one device, bytes.
    most_concurrent : float or None
        Concurrency at the full context that the server prints.
    cache_usage : tuple of float
        Fraction of the cache in use, by logged line.
    running, waiting : tuple of int
        Number of running and of waiting requests, by logged line.
    generated_per_second : tuple of float
        Output tokens per second, by logged line.
    """

    program: str
    cache_tokens: int | None
    cache_bytes: float | None
    weight_bytes: float | None
    most_concurrent: float | None
    cache_usage: tuple[float, ...]
    running: tuple[int, ...]
    waiting: tuple[int, ...]
    generated_per_second: tuple[float, ...]


_BENCHMARK_ROW = re.compile(r"^\s*([A-Z][^:]*?)\s*(?:\(([^()]*)\))?:\s+([\d.]+|nan|inf)\s*$")


def read_serving_benchmark(text: str) -> ServingBenchmark:
    """Parse the table ``Serving Benchmark Result`` of vLLM or SGLang.

    Parameters
    ----------
    text : str
        Output with one table.

    Returns
    -------
    ServingBenchmark
        Throughputs and latencies.

    Raises
    ------
    ValueError
        There is no table, several tables, or one that was cut off.

    Notes
    -----
    Source: ``benchmark_serving.py`` of vLLM and ``bench_serving.py`` of SGLang.

    Examples
    --------
    >>> result = read_serving_benchmark('''============ Serving Benchmark Result ============
    ... Successful requests:                     100
    ... Benchmark duration (s):                  26.60
    ... Request throughput (req/s):              3.76
    ... Output token throughput (tok/s):         5638.98
    ... Mean TTFT (ms):                          156.64
    ... ==================================================''')
    >>> result.output_tokens_per_second, result.ttft_seconds["mean"]
    (5638.98, 0.15664)
    """
    lines = normalized_lines(text, "a serving benchmark")
    titles = sum("Serving Benchmark Result" in line for _, line in lines)
    if titles != 1:
        wanted = (
            "the table 'Serving Benchmark Result' of vLLM or SGLang" if not titles else "one such table, not several"
        )
        raise line_error(*lines[0], wanted)
    values = {match[1].lower(): float(match[3]) for _, line in lines if (match := _BENCHMARK_ROW.match(line))}
    try:
        requests, seconds = values["successful requests"], values["benchmark duration"]
        request_rate, output_rate = values["request throughput"], values["output token throughput"]
    except KeyError as missing:
        raise line_error(*lines[-1], f"a line of {missing.args[0]}; was the table cut off?") from None
    if not any(set(line.strip()) == {"="} for _, line in lines):
        whole_line(text)
    statistics: dict[str, dict[str, float]] = {"ttft": {}, "tpot": {}, "itl": {}}
    for name, value in values.items():
        if match := re.fullmatch(r"(mean|median|std|p\d+(?:\.\d+)?|max) (ttft|tpot|itl)", name):
            statistics[match[2]][match[1]] = 1e-3 * value
    return ServingBenchmark(
        int(requests), seconds, request_rate, output_rate, values.get("total token throughput"),
        statistics["ttft"], statistics["tpot"], statistics["itl"],
    )  # fmt: skip


_GIB = 2.0**30
_CACHE_TOKENS = re.compile(r"GPU KV cache size: ([\d,]+) tokens|max_total_num_tokens=(\d+)|#tokens: (\d+)")
_CACHE_BLOCKS = re.compile(r"# (?:GPU|cuda) blocks: (\d+)")
_CACHE_BYTES = re.compile(
    r"Available KV cache memory: ([\d.]+) GiB|KV cache memory[^\d]*([\d.]+) GiB|reserved for KV Cache is ([\d.]+) ?GiB"
)
_WEIGHTS = re.compile(
    r"(?:Model loading took|Loading model weights took|model weights take) ([\d.]+) ?(GiB|GB)|Load weight end\..*mem usage=([\d.]+) GB"
)
_CONCURRENCY = re.compile(r"Maximum concurrency for [\d,]+ tokens per request: ([\d.]+)x")
_VLLM = re.compile(
    r"Avg generation throughput: ([\d.]+) tokens/s, Running: (\d+) reqs?,.*?(?:Waiting|Pending): (\d+) reqs?,.*?GPU KV cache usage: ([\d.]+)%"
)
_SGLANG = re.compile(
    r"Decode batch.*?#running-req: (\d+),.*?token usage: ([\d.]+),.*?gen throughput \(token/s\): ([\d.]+),.*?#queue-req: (\d+)"
)


def read_serving_log(text: str) -> ServingLog:
    """Parse the lines about memory and load that a vLLM or SGLang server logs.

    Parameters
    ----------
    text : str
        Log of the server, whole or in part.

    Returns
    -------
    ServingLog
        Cache, weights, and the load over time.

    Raises
    ------
    ValueError
        No line is one of these.

    Notes
    -----
    Blocks of old vLLM are counted as 16 tokens. SGLang prints GiB as GB. Source: the servers' own output.

    Examples
    --------
    >>> log = read_serving_log("INFO 11-02 [kv_cache_utils.py:1287] GPU KV cache size: 367,404 tokens")
    >>> log.program, log.cache_tokens
    ('vLLM', 367404)
    """
    lines = normalized_lines(text, "a vLLM or SGLang server")

    def last(pattern: re.Pattern[str], read: Callable[[str], float]) -> float | None:
        values = [next(filter(None, match.groups())) for _, line in lines if (match := pattern.search(line))]
        return read(values[-1].replace(",", "")) if values else None

    tokens = last(_CACHE_TOKENS, float)
    blocks = last(_CACHE_BLOCKS, float)
    cache, weights = last(_CACHE_BYTES, float), last(_WEIGHTS, float)
    concurrent = last(_CONCURRENCY, float)
    vllm = [match.groups() for _, line in lines if (match := _VLLM.search(line))]
    sglang = [match.groups() for _, line in lines if (match := _SGLANG.search(line))]
    if (vllm and sglang) or (not vllm and not sglang and {tokens, blocks, cache, weights, concurrent} == {None}):
        raise line_error(*lines[0], "the log of one vLLM or SGLang server, such as 'GPU KV cache size: 367,404 tokens'")
    rows = [(float(use) / 100, int(run), int(wait), float(rate)) for rate, run, wait, use in vllm]
    rows += [(float(use), int(run), int(wait), float(rate)) for run, use, rate, wait in sglang]
    usage, running, waiting, rates = zip(*rows, strict=True) if rows else ((), (), (), ())
    named = sglang or any("max_total_num_tokens" in line or "Load weight end" in line for _, line in lines)
    return ServingLog(
        "SGLang" if named else "vLLM",
        int(tokens) if tokens is not None else int(16 * blocks) if blocks is not None else None,
        None if cache is None else _GIB * cache,
        None if weights is None else _GIB * weights,
        concurrent, usage, running, waiting, rates,
    )  # fmt: skip
