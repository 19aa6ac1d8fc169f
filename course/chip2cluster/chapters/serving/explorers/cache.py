"""Explorer of the cache: what keys and values take, by the kind of heads, the sequences and the pages."""

from dataclasses import replace
from math import gcd
from typing import Any

import numpy as np

from chip2cluster import draw, serving, transformer
from chip2cluster.explore.base import Explorer
from chip2cluster.explore.controls import Choice, Slider
from chip2cluster.explore.custom_service import named_deployment
from chip2cluster.explore.frame import Column, Frame, Table
from chip2cluster.explore.static_states import ALL, Strip
from chip2cluster.units import show

SERVED: dict[str, tuple[Any, ...]] = {
    "Llama 2 7B": ("Llama 2 7B", "H100 SXM"),
    "Llama 3 8B": ("Llama 3 8B", "H100 SXM"),
    "Llama 3 70B": ("Llama 3 70B", "H100 SXM", 4),
    "DeepSeek-V3": ("DeepSeek-V3", "H200 SXM", 8, "fp8", "data"),
}
CONTEXTS = (512, 1024, 2048, 4096, 8192, 16384, 32768, 65536, 131072)
SEQUENCES = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024)
KINDS = {
    "multi_head": "a key-value pair for every head",
    "grouped": "a key-value pair for a group of heads",
    "multi_query": "a key-value pair for all heads",
    "latent": "a latent of 512 + 64",
}
GOLDEN = (5**0.5 - 1) / 2  # its multiples fall evenly over a range, and on no multiples of a block
STRETCH = "one stretch for the longest"
PAGES = (STRETCH, 1024, 256, 64, 16, 1)


def _pages(size):
    return size if size == STRETCH else f"blocks of {size:,} token{'s' * (size != 1)}"


class Cache(Explorer):
    """Fill the memory beside the weights with keys and values.

    Four kinds of heads side by side, for sequences of all lengths up to the longest.

    Parameters
    ----------
    context : int
        Tokens of the longest sequence.
    model, chip, devices, precision, attention
        Your own service, as `serving.deploy`; one of ours where ``model`` is left out.
    **values
        Start values of the other controls: ``sequences``, ``pages`` (tokens of a block, or ``"one stretch for the
        longest"``), ``service`` (``"Llama 3 8B"`` and its like).

    Raises
    ------
    ValueError, TypeError
        For an unknown control, a value that it does not offer, and a model that does not fit: the message says how many
        devices hold it.

    Examples
    --------
    >>> from chip2cluster import explore
    >>> [round(row["a token (kB)"]) for row in explore.cache().table]
    [524, 131, 16, 37]
    """

    title = "What fills the cache"
    positional = ("context",)
    controls = (
        Slider(name="context", label="Longest sequence", options=CONTEXTS, default=8192, unit="tokens"),
        Slider(name="sequences", label="Concurrent sequences", options=SEQUENCES, default=64),
        Choice(name="pages", label="Memory is reserved in", options=PAGES, default=16, text=_pages),
        Choice(name="service", label="Model", options=tuple(SERVED), default="Llama 3 8B", more=True),
    )  # fmt: skip
    strip = Strip("context", {"pages": ALL, "sequences": (1, 16, 64, 256), "service": ("Llama 3 8B",)})

    def __init__(self, *given, model=None, chip="H100 SXM", devices=1, precision="bf16", attention="tensor", **values):
        self._served = {name: named_deployment(*what) for name, what in SERVED.items()}
        if model is not None:
            own = named_deployment(model, chip, devices, precision, attention)
            self._served[own[0]] = own
            options = replace(self.controls[3], options=tuple(self._served), default=own[0])
            self.controls = (*self.controls[:3], options)
        super().__init__(*given, **values)

    def frame(self, values: dict[str, Any]) -> Frame:
        name, deployment = self._served[values["service"]]
        longest, count = values["context"], values["sequences"]
        lengths = 1 + (longest * ((np.arange(count) + 0.5) * GOLDEN % 1)).astype(int)
        block = longest if values["pages"] == STRETCH else values["pages"]
        tokens, held = int(lengths.sum()), serving.tokens_held(lengths, block)
        memory = deployment.devices * deployment.memory_bytes
        own = serving.kind_of_heads(deployment.config)
        rows, drawn = [], []
        for kind, words in KINDS.items():
            a_token = _a_token(deployment, kind)
            fits = (memory - deployment.weight_memory) / (held / count * a_token)
            rows.append((words, int(fits), a_token / 1e3, tokens * a_token / 1e9, (held - tokens) * a_token / 1e9))
            drawn.append(
                draw.Filled(words, deployment.weight_memory, tokens * a_token, (held - tokens) * a_token, kind == own)
            )
        mine = tuple(KINDS).index(own)
        subject = f"{name}, {count:,} sequence{'s' * (count != 1)} of up to {longest:,} tokens"
        total, keys = show(drawn[mine].total, "B"), show(drawn[mine].used, "B")
        fitting = f"Keys and values take {keys} of {show(memory, 'B')}"
        title = fitting if drawn[mine].total <= memory else f"{total} do not fit into {show(memory, 'B')}"
        say = _say(rows[mine], values["pages"], tokens, held, block)
        others = " ".join(f"{row[0].capitalize()}: {show(1e9 * (row[3] + row[4]), 'B')}." for row in rows)
        picture = draw.cache_bars(
            drawn, memory, title=title,
            description=f"{title}. Weights {show(deployment.weight_memory, 'B')}, memory {show(memory, 'B')}. {others}",
        )  # fmt: skip
        return Frame(picture, Table(subject, COLUMNS, tuple(rows), marked=mine), say)


def _a_token(deployment, kind):
    """Bytes that a token takes on all devices, with another kind of heads."""
    config = serving.with_heads(deployment.config, kind, gcd(deployment.config.heads, 8))
    copies = 1.0 if deployment.attention == "data" else serving.cache_copies(config, deployment.devices)
    return copies * transformer.kv_cache_per_token(config, deployment.cache_bytes)


COLUMNS = (
    Column("each layer caches"),
    Column("sequences that fit", "", "{:,}".format),
    Column("a token", "kB", lambda size: f"{size:,.3g}" if size < 100 else f"{size:,.0f}"),
    Column("filled", "GB", lambda size: f"{size:,.1f}" if size < 1000 else f"{size:,.0f}"),
    Column("empty", "GB", lambda size: f"{size:,.2f}" if size < 10 else f"{size:,.0f}"),
)


def _say(mine, pages, tokens, held, block):
    words, fits, a_token, filled, _ = mine
    share = 100 * (held - tokens) / held
    wasted = f"{share:.0f} %" if share >= 1 or not share else f"{share:.1g} %"
    room = (
        f"Every sequence reserves room for {block:,} tokens, whatever it needs: {wasted} of it stays empty."
        if pages == STRETCH
        else f"Each sequence ends with a partly filled block of {block:,} token{'s' * (block != 1)}: {wasted} of the reserved memory stays empty."
    )
    return (
        f"This model caches {words}: {show(1e3 * a_token, 'B')} a token, {show(1e9 * filled, 'B')} for all. {room} "
        f"{fits:,} such sequence{'s' * (fits != 1)} fit{'s' * (fits == 1)} beside the weights."
    )
