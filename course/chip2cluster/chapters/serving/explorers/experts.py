"""Explorer of experts in decode: the weights that a step reads against the batch."""

from typing import Any

import numpy as np

from chip2cluster import draw, serving, transformer
from chip2cluster.explore.base import Explorer
from chip2cluster.explore.controls import Choice, Slider
from chip2cluster.explore.frame import Column, Extent, Frame, Table
from chip2cluster.explore.handle import Handle
from chip2cluster.explore.static_states import ALL, Strip

MODELS = ("DeepSeek-V3", "Mixtral 8x7B", "Llama 3 70B")
SEQUENCES = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024)
ACROSS = draw.Axis("Sequences in the step", 0.8, 1300, (1, 4, 16, 64, 256, 1024))
UP = draw.Axis("Weights read, GB", 8, 1600, (10, 20, 50, 100, 200, 500, 1000))
GROUPS = ("a batch",)
COLUMNS = (
    Column("sequences", "", "{:,}".format),
    Column("weights read", "GB", "{:,.0f}".format),
    Column("of all", "%", "{:,.0f}".format),
    Column("for one sequence", "GB", "{:,.2f}".format),
)


class Experts(Explorer):
    """Move the batch of a decode step, and see which weights it reads.

    Parameters
    ----------
    sequences : int
        Sequences that decode together.
    **values
        Start values of the other control, ``model``.

    Raises
    ------
    ValueError
        If a control is unknown or does not offer a value.

    Examples
    --------
    >>> from chip2cluster import explore
    >>> explore.experts(64).table[6]["of all (%)"] > 80
    True
    """

    title = "What a batch reads of an MoE model"
    extent = Extent(letters=130)
    positional = ("sequences",)
    controls = (
        Slider(name="sequences", label="Sequences in the step", options=SEQUENCES, default=8),
        Choice(name="model", label="Model", options=MODELS, default="DeepSeek-V3"),
    )
    strip = Strip("sequences", {"model": ALL})

    def frame(self, values: dict[str, Any]) -> Frame:
        model, chosen = values["model"], values["sequences"]
        config, width = transformer.model(model).config, 1 if model == "DeepSeek-V3" else 2
        read = width * np.array([serving.parameters_read(config, count) for count in SEQUENCES], dtype=float) / 1e9
        rows = tuple(
            (count, gbytes, 100 * gbytes / float(read[-1]), gbytes / count)
            for count, gbytes in zip(SEQUENCES, read.tolist(), strict=True)
        )
        place = SEQUENCES.index(chosen)
        _, gbytes, share, each = rows[place]
        title = f"{chosen:,} sequence{'s' * (chosen != 1)} read {gbytes:,.0f} GB of weights"
        subject = f"{'fp8' if width == 1 else 'bf16'}, one token per sequence, even routing"
        points = [
            draw.Point(f"{row[1]:,.0f} GB" if row[0] == chosen else "", GROUPS[0], row[0], row[1], row=f"{row[0]:,}")
            for row in rows
        ]
        picture = draw.scatter(
            points, place, across=ACROSS, up=UP, groups=GROUPS, title=title, subtitle=subject,
            description=f"{title}. {subject}. One sequence reads {read[0]:,.0f} GB, {SEQUENCES[-1]:,} read {read[-1]:,.0f} GB.",
        )  # fmt: skip
        say = (
            f"A step of {chosen:,} reads {gbytes:,.0f} GB, {share:.0f} % of what the largest batch reads: {each:,.2f} GB for each "
            f"sequence. One sequence alone reads {read[0]:,.0f} GB."
        )
        handle = Handle("sequences", tuple((row[0], row[1]) for row in rows))
        return Frame(picture, Table(model, COLUMNS, rows, marked=place), say, handles=(handle,))
