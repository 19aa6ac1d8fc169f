"""Explorer of stripes: on which targets of a file system a file lies, and what its name costs."""

from dataclasses import dataclass
from typing import Any

from chip2cluster import draw, storage
from chip2cluster._validate import one_whole
from chip2cluster.draw.format import binary, span
from chip2cluster.explore.base import Explorer
from chip2cluster.explore.controls import Choice, Slider, in_bytes
from chip2cluster.explore.frame import Column, Extent, Frame, Table
from chip2cluster.explore.static_states import ALL, Strip
from chip2cluster.units import parse, show, significant

PROGRESSIVE = "progressive"
GROWING = "-E 4M -c 1 -E 256M -c 4 -E -1 -c -1"  # one target for small files, all of them for the end of large ones
STRIPE_SIZES = tuple(2**power for power in (16, 18, 20, 22, 24, 26))  # 64 KiB to 64 MiB
FILE_SIZES = tuple(
    int(size * 2**20)
    for size in (2**-8, 2**-4, 0.25, 1, 3, 4, 5, 9, 16, 33, 64, 100, 256, 300, 2**10, 2**12, 2**14, 2**16)
)  # fmt: skip
DATA_SETS = tuple(10**power for power in range(11, 16))
MOST_TARGETS = 64  # whose bars still have a width


@dataclass(frozen=True)
class System:
    """A file system and who reads it; rates in bytes/s and operations/s."""

    targets: int
    target_bandwidth: float
    client_bandwidth_one_way: float
    operations_per_second: float
    progressive: storage.ProgressiveLayout | None

    @property
    def bandwidth(self):
        return self.targets * self.target_bandwidth

    @property
    def counts(self):
        """Stripe counts that are offered."""
        powers = [2**power for power in range(7) if 2**power < self.targets]
        return (*powers, self.targets, *(PROGRESSIVE,) * (self.progressive is not None))

    @property
    def about(self):
        return (
            f"{self.targets} targets of {_round(self.target_bandwidth, 'B/s')}, a node of "
            f"{_round(self.client_bandwidth_one_way, 'B/s')}, {self.operations_per_second:,.0f} metadata operations/s"
        )

    def layout(self, values):
        if values["stripe_count"] == PROGRESSIVE:
            return self.progressive
        return storage.StripeLayout(values["stripe_size"], values["stripe_count"], values["first_ost"], self.targets)


def _striped(layout):
    if not isinstance(layout, storage.StripeLayout):
        return "in a progressive layout"
    count = layout.stripe_count
    return f"in stripes of {binary(layout.stripe_size)} on {count} target{'s' * (count > 1)}, from number {layout.first_ost} on"


def _system(targets, target_bandwidth, client_bandwidth_one_way, operations_per_second, layout):
    count = one_whole("targets", targets)
    if count > MOST_TARGETS:
        raise ValueError(f"targets must be at most {MOST_TARGETS}, got {targets!r}")
    growing = layout if layout is not None else GROWING if count >= 4 else None
    return System(
        count,
        parse(target_bandwidth, "B/s"),
        parse(client_bandwidth_one_way, "B/s"),
        float(one_whole("operations_per_second", operations_per_second)),
        None if growing is None else storage.read_setstripe(growing, count),
    )


def _controls(system, file_size):
    """The controls of a file system; ``file_size`` is one of the reader's own, in bytes."""
    data_sets = tuple(size for size in DATA_SETS if size >= file_size) or (file_size,)

    def stripe_sizes(values):
        if values["stripe_count"] != PROGRESSIVE:
            return STRIPE_SIZES
        return tuple(sorted({part.stripe_size for part in system.progressive.components}))[-1:]

    def file_sizes(values):
        sizes = tuple(sorted({*FILE_SIZES, file_size}))
        end = system.progressive.components[-1].end if values["stripe_count"] == PROGRESSIVE else None
        return sizes if end is None else tuple(size for size in sizes if size <= end) or (end,)

    def own(_, values):
        return "a progressive layout brings its own" if values["stripe_count"] == PROGRESSIVE else ""

    return (
        Choice(name="stripe_count", label="Stripe count", options=system.counts, default=min(4, system.targets)),
        Slider(
            name="stripe_size", label="Stripe size", options=stripe_sizes, default=2**20, text=binary, parse=in_bytes, why=own
        ),
        Slider(
            name="file_size", label="File size", options=file_sizes, default=9 * 2**20, text=binary, parse=in_bytes
        ),
        Slider(
            name="data_set", label="A data set of such files", options=data_sets, default=max(10**12, data_sets[0]),
            text=lambda size: _round(size, "B"), parse=in_bytes, more=True,
        ),
        Slider(
            name="first_ost", label="First target", options=tuple(range(system.targets)), default=min(3, system.targets - 1),
            more=True,
        ),
    )  # fmt: skip


STANDARD = _system(8, "2 GB/s", "12.5 GB/s", 20_000, None)


class Stripes(Explorer):
    """Cut a file into stripes and watch the targets of a file system fill.

    A file system of 8 targets with 2 GB/s each, a node of 12.5 GB/s and a metadata server of
    20,000 operations/s, unless you bring your own.

    Parameters
    ----------
    stripe_count : int or "progressive"
        Targets of a file, or more of them the further back in the file.
    stripe_size : int or str
        Bytes, or a text such as ``"1 MiB"``.
    file_size : int or str
        The same; a size that the control doesn't have joins it.
    targets : int
        Targets of the file system, up to 64.
    target_bandwidth, client_bandwidth_one_way : str
        Rates of one target, and of the node that reads: ``"2 GB/s"``.
    operations_per_second : int
        Metadata operations; naming a file takes three.
    layout : str, optional
        A progressive layout as ``lfs setstripe`` takes it: ``"-E 4M -c 1 -E -1 -c 8"``.
    **values
        Start values of the other controls: ``data_set`` (bytes of all files), ``first_ost``.

    Raises
    ------
    ValueError, TypeError
        For an unknown control or a value that it does not offer, rates that are no texts with a
        unit, more than 64 targets, and a layout that does not fit them.

    Examples
    --------
    >>> from chip2cluster import explore
    >>> view = explore.stripes(4, stripe_size="1 MiB", file_size="9 MiB")
    >>> [int(row["fullest"] / 2**20) for row in view.table]
    [9, 5, 3, 2, 6]
    """

    title = "Stripe explorer"
    extent = Extent(letters=250)
    positional = ("stripe_count", "stripe_size", "file_size")
    controls = _controls(STANDARD, FILE_SIZES[0])
    strip = Strip("file_size", {"stripe_count": ALL, "stripe_size": (2**16, 2**20, 2**22, 2**24)})
    system = STANDARD

    def __init__(
        self, *given, targets=8, target_bandwidth="2 GB/s", client_bandwidth_one_way="12.5 GB/s",
        operations_per_second=20_000, layout=None, **values,
    ):  # fmt: skip
        values = self._named(given, values)
        self.system = _system(targets, target_bandwidth, client_bandwidth_one_way, operations_per_second, layout)
        size = one_whole("file_size", in_bytes(values["file_size"])) if "file_size" in values else FILE_SIZES[0]
        self.controls = _controls(self.system, size)
        if layout is not None:
            values = {"stripe_count": PROGRESSIVE} | values
        super().__init__(**values)

    def frame(self, values: dict[str, Any]) -> Frame:
        size = values["file_size"]
        layout = self.system.layout(values)
        rows = tuple(self._row(count, values) for count in self.system.counts)
        picture = draw.stripes(layout, size, most=size, subtitle="")
        caption = f"A file of {binary(size)}, and {_round(values['data_set'], 'B')} of them, {_striped(layout)}"
        table = Table(
            caption, COLUMNS, rows, marked=self.system.counts.index(values["stripe_count"]), note=self.system.about
        )
        return Frame(picture, table, self._say(layout, values))

    def _row(self, count, values):
        size = values["file_size"]
        layout = self.system.layout(values | {"stripe_count": count})
        striped = isinstance(layout, storage.StripeLayout)
        objects = layout.stripe_count if striped else layout.objects(size)
        held = layout.bytes_per_target(size)
        return (
            f"{count}",
            objects,
            int((held > 0).sum()),
            float(held.max()),
            self._read(layout, size),
            storage.listing_requests(_files(values), objects),
        )

    def _read(self, layout, size):
        return storage.striped_time(layout, size, self.system.target_bandwidth, self.system.client_bandwidth_one_way)

    def _say(self, layout, values):
        size, system = values["file_size"], self.system
        held = layout.bytes_per_target(size)
        seconds = self._read(layout, size)
        link = size / system.client_bandwidth_one_way >= held.max() / system.target_bandwidth
        files = _files(values)
        names = storage.metadata_time(files, system.operations_per_second)
        moved = values["data_set"] / system.bandwidth
        worse = "the names" if names > moved else "the bytes"
        used = int((held > 0).sum())
        fullest = "One target" if used == 1 else f"The fullest of {used} targets"
        many = "1 name" if files == 1 else f"{files:,} names"
        return (
            f"{fullest} holds {binary(held.max())} of {binary(size)}; one node reads the "
            f"file in at least {span(seconds)}, held up by {'its own link' if link else 'that target'}. "
            f"{_round(values['data_set'], 'B')} in such files {'is' if files == 1 else 'are'} {many}: at least "
            f"{span(names)} for the metadata server and {span(moved)} for the targets, so {worse} decide."
        )


def _files(values):
    return -(-values["data_set"] // values["file_size"])


def _round(value, unit):
    """An amount without needless zeros.

    >>> _round(2e9, "B/s"), _round(12.5e9, "B/s")
    ('2 GB/s', '12.5 GB/s')
    """
    number, name = show(value, unit).split(" ")
    return f"{float(number):g} {name}"


def _many(requests):
    """A number of requests, in millions where there are that many.

    >>> _many(9.0), _many(732_421_875)
    ('9', '732 million')
    """
    return f"{significant(requests / 1e6)} million" if requests >= 1e5 else f"{requests:,.0f}"


def _in_one_line(text):
    """The same words, whose blanks break no line: a number keeps its unit in a narrow table."""
    return lambda value: text(value).replace(" ", "\N{NO-BREAK SPACE}")


COLUMNS = (
    Column("stripe count"),
    Column("objects"),
    Column("with data"),
    Column("fullest", "", _in_one_line(binary)),
    Column("read in", "", _in_one_line(span)),
    Column("ls -l of all", "requests", _in_one_line(_many)),
)
