"""One accelerator: its figures and the source of each."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from ..units import show
from .driver_memory import driver_memory
from .fields import GROUPS, PLAIN, label

if TYPE_CHECKING:
    from ..provenance import Source


class PrecisionNotSupported(LookupError, ValueError):
    """No peak is known at this precision; the message lists the precisions that have one."""


@dataclass(frozen=True, repr=False)
class Accelerator:
    """Published figures of one accelerator as sold: one package, including both dies if it has two.

    A few CPUs are included for comparison, one socket each.

    Attributes
    ----------
    id, name, vendor : str
        Stable short id, display name, maker.
    kind : str
        ``"gpu"``, ``"tpu"``, ``"npu"``, ``"apu"`` (CPU and GPU in one package) or ``"cpu"``.
    year : int or None
        Year of launch; None only for a custom chip (`own`) without one.
    memory_bytes : float
        Capacity, bytes; the vendor's printed number times 1e9, even if GiB is meant.
    memory_bandwidth : float
        Peak memory bandwidth, bytes/s.
    memory_type : str
        Type of memory, such as ``"HBM3e"`` or ``"GDDR6"``.
    scale_up_link : str or None
        Link to neighbouring devices. Cards without NVLink have PCIe here.
    scale_up_links : int or None
        Number of such links; None if only the total is known.
    scale_up_bandwidth_one_way, scale_up_bandwidth_both_ways : float or None
        All links of the device together, unidirectional and bidirectional, bytes/s; vendors usually print the latter.
    tdp_watts : float or None
        Thermal design or board power as delivered, watts. A higher setting is ``peak_watts``;
        measured power is neither.
    peak_watts : float or None
        Highest power setting, watts, if the vendor prints one besides the TDP.
    tdp_covers : str or None
        Scope of ``tdp_watts`` if it is more than the device, as in
        ``"GPU, CPU and memory"``; do not compare it with that of a bare GPU.
    boost_clock_hz, max_clock_hz : float or None
        Clock behind the matrix peaks; highest clock if it differs.
    compute_unit : str
        Unit that ``compute_units`` counts: ``"SM"``, ``"CU"``, ``"TensorCore"`` ...
    compute_units : int or None
        Number of compute units; None if not published.
    compute_unit_counts : Mapping of str to int
        Counts of other units: ``"tensor_cores_per_sm"``, ``"XCD"``, ``"MXU_128x128"`` ...
    compute_capability : str or None
        NVIDIA's compute capability, such as ``"9.0"``; None for a part that its table does not list yet.
    announced : Source or None
        Source of a part that is only announced; None once it is sold.
    precisions_dense, precisions_sparse : tuple of str
        Precisions that `peak_flops_dense` and `peak_flops_sparse` accept.
    low_confidence : tuple of (str, str or None)
        Values with disagreeing sources or only announced, as arguments of `source`.

    Notes
    -----
    All peaks are datasheet peaks: they ignore power limits and every overhead. Source: given for each value,
    see `source`.
    """

    id: str
    name: str
    vendor: str
    kind: str
    compute_unit: str
    year: int | None
    memory_bytes: float
    memory_bandwidth: float
    memory_type: str
    scale_up_link: str | None
    scale_up_links: int | None
    scale_up_bandwidth_one_way: float | None
    scale_up_bandwidth_both_ways: float | None
    tdp_watts: float | None
    peak_watts: float | None
    tdp_covers: str | None
    boost_clock_hz: float | None
    max_clock_hz: float | None
    compute_units: int | None
    compute_capability: str | None
    announced: Source | None
    # field -> name -> value, for the fields of GROUPS
    _groups: Mapping[str, dict[str, Any]] = field(hash=False)
    # (field, name or None) -> Source, or the reason for a missing value
    _sources: Mapping[tuple[str, str | None], Source] = field(compare=False)
    _gaps: Mapping[tuple[str, str | None], str] = field(compare=False)

    @property
    def driver_memory_bytes(self) -> float:
        """Memory as the driver reports it, bytes; an upper bound from the datasheet if no driver output is known.

        A datasheet's GB often mean slightly less than that many GiB: the 80 GB of an H100 are 85.5e9 bytes.
        ``memory_bytes`` takes the datasheet literally. This number decides whether something fits; for a
        custom chip it is the number that was given.

        Examples
        --------
        >>> from chip2cluster import specs
        >>> h100 = specs.accelerator("H100 SXM")
        >>> h100.memory_bytes / 1e9, round(h100.driver_memory_bytes / 1e9, 1)
        (80.0, 85.5)
        """
        return self._driver_memory[0]

    @property
    def driver_memory_source(self) -> Source:
        """Source of ``driver_memory_bytes``."""
        return self._driver_memory[1]

    @property
    def _driver_memory(self) -> tuple[float, Source]:
        given = self.source("memory_bytes")
        if given.confidence == "given":
            return self.memory_bytes, given
        return driver_memory(self.name, self.memory_bytes, self.kind)

    @property
    def reduces_in_switches(self) -> bool:
        """Whether the switches of its scale-up network can reduce (NVLS): NVLink 4 and later."""
        return self.scale_up_link in ("NVLink 4", "NVLink 5", "NVLink 6")

    @property
    def precisions_dense(self) -> tuple[str, ...]:
        """Precisions with a dense peak."""
        return tuple(self._groups["peak_flops_dense"])

    @property
    def precisions_sparse(self) -> tuple[str, ...]:
        """Precisions with a sparse peak."""
        return tuple(self._groups["peak_flops_sparse"])

    @property
    def compute_unit_counts(self) -> Mapping[str, int]:
        """Number of units of each kind other than compute units, by name."""
        return MappingProxyType(self._groups["compute_unit_counts"])

    def peak_flops_dense(self, precision: str) -> float:
        """Return the peak rate of a dense matrix product at a precision.

        Parameters
        ----------
        precision : str
            Precision, such as ``"bf16"``, ``"fp8"`` or ``"int8"``; case and outer spaces do not matter.
            ``"fp64_tensor"`` and ``"fp32_matrix"`` are the rates of the matrix units
            if they differ; plain ``"fp64"`` and ``"fp32"`` are those of the vector units.

        Returns
        -------
        float
            FLOP/s; OP/s for integers. One multiply-add counts as two.

        Raises
        ------
        PrecisionNotSupported
            If the part has no such peak or none is published; the message names the choices.

        Examples
        --------
        >>> from chip2cluster import specs
        >>> specs.accelerator("A100 80GB").peak_flops_dense("bf16") / 1e12
        312.0
        """
        return self._peak("peak_flops_dense", precision)

    def peak_flops_sparse(self, precision: str) -> float:
        """Return the peak rate with structured sparsity, which counts the skipped zeros.

        Parameters
        ----------
        precision : str
            Precision, see `peak_flops_dense`.

        Returns
        -------
        float
            FLOP/s; OP/s for integers. At most half of it is executed arithmetic:
            use it to recognize a headline figure, not to plan with.

        Raises
        ------
        PrecisionNotSupported
            If the part has no such mode or no figure for it is published. NVIDIA
            has one since 2020, AMD since 2023, AWS since 2024.

        Examples
        --------
        >>> from chip2cluster import specs
        >>> specs.accelerator("H100 SXM").peak_flops_sparse("bf16") / 1e12
        1978.9
        """
        return self._peak("peak_flops_sparse", precision)

    def source(self, field: str, name: str | None = None) -> Source:
        """Return the source of a value, with its date and confidence.

        Parameters
        ----------
        field : str
            Name of the field: ``"memory_bandwidth"``, ``"tdp_watts"`` ..., or ``"peak_flops_dense"``,
            ``"peak_flops_sparse"``, ``"compute_unit_counts"`` together with a name.
        name : str, optional
            Precision or unit: ``source("peak_flops_dense", "bf16")``.

        Returns
        -------
        Source
            Citation, date, confidence and note.

        Raises
        ------
        PrecisionNotSupported
            If the part does not have that peak.

        Examples
        --------
        >>> from chip2cluster import specs
        >>> specs.accelerator("B300").source("peak_flops_dense", "fp4").confidence
        'low'
        """
        if field in PLAIN:
            if name is not None:
                raise ValueError(f"{field} has a single value and no names, got the name {name!r}")
        elif field not in GROUPS:
            raise ValueError(f"no field {field!r}; there are {', '.join([*PLAIN, *GROUPS])}")
        elif field.startswith("peak"):
            name = self._precision(field, name)
        elif name not in self._groups[field]:
            raise ValueError(f"{self.name} has {field} for {_listed(self._groups[field])}, got {name!r}")
        if (field, name) not in self._sources:
            reason = self._gaps.get((field, name), "not published")
            raise ValueError(f"{self.name} has no {field}, and so no source for it: {reason}")
        return self._sources[field, name]

    @property
    def low_confidence(self) -> tuple[tuple[str, str | None], ...]:
        """Values of low confidence, as arguments of `source`."""
        return tuple(key for key, source in self._sources.items() if source.confidence == "low")

    def _peak(self, group: str, precision: str) -> float:
        return self._groups[group][self._precision(group, precision)]

    def _precision(self, group: str, precision: str | None) -> str:
        if not isinstance(precision, str):
            raise TypeError(f"precision must be a name such as 'bf16', got {precision!r}")
        key = precision.strip().lower()
        peaks = self._groups[group]
        if key in peaks:
            return key
        kind = group.removeprefix("peak_flops_")
        reason = self._gaps.get((group, key))
        message = f"{self.name} has no {kind} peak for {precision!r}" + (f" ({reason})" if reason else "")
        if peaks:
            message += f"; it has {_listed(peaks)}"
        else:
            message += f", nor for any other precision; dense it has {_listed(self.precisions_dense)}"
        raise PrecisionNotSupported(message)

    def __repr__(self) -> str:
        """Return the main figures in one line."""
        parts = [self.vendor if self.year is None else f"{self.vendor} {self.year}"]
        for precision in ("bf16", "fp16", *self.precisions_dense):
            if precision in self.precisions_dense:
                parts.append(f"{show(self.peak_flops_dense(precision), 'FLOP/s')} {precision} dense")
                break
        parts.append(f"{self.memory_bytes / 1e9:g} GB {self.memory_type}".rstrip())
        parts.append(show(self.memory_bandwidth, "B/s"))
        if self.low_confidence:
            everything = len(self.low_confidence) == len(self._sources)
            low = "every value" if everything else _few([label(*key) for key in self.low_confidence])
            parts.append(f"low confidence: {low}")
        return f"<{self.name}: {'; '.join(parts)}>"

    def _repr_html_(self) -> str:
        return _FORMATTERS["text/html"](self)


_FORMATTERS: dict[str, Callable[[Accelerator], str]] = {}


def register_formatter(mime_type: str, formatter: Callable[[Accelerator], str]) -> None:
    """Set the function that displays an accelerator as a MIME type, such as ``"text/html"`` in a notebook."""
    _FORMATTERS[mime_type] = formatter


def _few(names: list[str]) -> str:
    return ", ".join(names) if len(names) <= 6 else f"{', '.join(names[:3])} and {len(names) - 3} more"


def _listed(names: Iterable[str]) -> str:
    return ", ".join(names) or "none"
