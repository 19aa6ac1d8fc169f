"""Networks in ``list``: links at their usual width, and nodes and clusters that are sold as one machine."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from .answer import Assumption, Number
from .assumptions import cited

if TYPE_CHECKING:
    from ..provenance import Source

# Sections of the published machines, with the function that builds one.
_BUILDERS = {"nvswitch_nodes": "nvswitch_node", "direct_nodes": "direct_node", "clusters": "cluster"}
_UNITS = {"bandwidth_one_way": "B/s", "bisection": "B/s"}


class Machine(NamedTuple):
    """Published machine: the name of the function that builds it, and its values with their sources."""

    function: str
    values: dict[str, Any]


def records() -> dict[str, Any]:
    """Return links and machines by name."""
    from .. import links
    from ..links.link import data
    from ..topology.published_machines import machine_entries

    known = data()
    found = [links.nvlink(key) for key in known["nvlink"]]
    found += [links.nvlink_c2c(), *(links.pcie(key, 16) for key in known["pcie"])]
    found += [links.infiniband(key) for key in known["infiniband"]]
    found += [links.ethernet(key) for key in known["ethernet"]]
    machines = {
        name: Machine(function, values)
        for section, function in _BUILDERS.items()
        for name, values in machine_entries(section).items()
    }
    xgmi = {f"{one.name}, {key}": one for key in known["xgmi"] for one in (links.xgmi(key),)}
    return {one.name: one for one in found} | xgmi | machines


def row(name: str, record: Any) -> Number:
    """Return the row of a list: the rate of a link, or the bisection of a machine."""
    if isinstance(record, Machine):
        from .. import topology

        cut = topology.bisection(getattr(topology, record.function)(name)).bandwidth_one_way
        return Number(name=name, says=f"{name}, bisection, unidirectional", value=cut, unit="B/s",
                      function=f"topology.{record.function}", topic="bisection")  # fmt: skip
    return Number(name=name, says=f"{name}, unidirectional", value=record.bandwidth_one_way, unit="B/s",
                  function="links.table", topic="links")  # fmt: skip


def record(name: str, found: Any) -> tuple[tuple[Number, ...], tuple[Assumption, ...]]:
    """Return the numbers of one link or machine, and its values with their sources."""
    if isinstance(found, Machine):
        return _machine(name, found)
    both = Number(name="bandwidth_both_ways", says="both directions together", value=found.bandwidth_both_ways, unit="B/s",
                  function="links.table", topic="links")  # fmt: skip
    rows = (
        sourced("width", f"number of {found.element}s", int(found.width), "", found.source("width")),
        sourced("signal_rate", "signaling rate of each", f"{found.signal_rate / 1e9:g} Gb/s", "", found.source()),
        sourced("encoding", "line encoding", found.encoding, "", found.source("encoding")),
    )
    return (row(name, found), both), rows


def _machine(name: str, found: Machine) -> tuple[tuple[Number, ...], tuple[Assumption, ...]]:
    from .. import topology

    built = getattr(topology, found.function)(name)
    count = Number(name="accelerators", says="accelerators", value=built.terminals, unit="accelerators",
                   function=f"topology.{found.function}", topic="bisection")  # fmt: skip
    rows = []
    for field, entry in found.values.items():
        if not isinstance(entry, dict):
            continue  # other names
        value = entry["value"]
        unit = (
            next((unit for end, unit in _UNITS.items() if field.endswith(end)), "") if isinstance(value, float) else ""
        )
        says = field.replace("_", " ").replace(" one way", ", unidirectional")
        shown = value if unit or isinstance(value, int) else str(value)
        rows.append(Assumption(name=field, says=says, value=shown, unit=unit, kind="sheet", source=entry["source"]))
    return (row(name, found), count), tuple(rows)


def sourced(name: str, says: str, value: Any, unit: str, source: Source) -> Assumption:
    """Return a value of a record with its source."""
    return Assumption(name=name, says=says, value=value, unit=unit, kind="sheet", source=cited(source))
