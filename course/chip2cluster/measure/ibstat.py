"""Parser of ``ibstat`` and ``ibstatus``, which show the ports of RDMA adapters."""

from __future__ import annotations

import re
from typing import NamedTuple

from ._lines import line_error, normalized_lines, whole_line

_PORT_FIELDS = {
    "State": "state", "Physical state": "physical_state", "Rate": "rate", "Link layer": "link_layer",
    # ibstatus
    "state": "state", "phys state": "physical_state", "rate": "rate", "link_layer": "link_layer",
}  # fmt: skip
_STATUS = re.compile(r"\s*Infiniband device '([^']+)' port (\d+) status:")


class IbPort(NamedTuple):
    """Port of an adapter, by ibstat.

    Attributes
    ----------
    device, port : str, int
        Name of the adapter and number of the port.
    state, physical_state, link_layer : str or None
        Words of the tool, such as ``"Active"``, ``"LinkUp"`` and ``"InfiniBand"``.
    bytes_per_second : float
        Rate of one direction, bytes/s.
    """

    device: str
    port: int
    state: str | None
    physical_state: str | None
    link_layer: str | None
    bytes_per_second: float


def read_ibstat(text: str) -> tuple[IbPort, ...]:
    r"""Parse the output of ``ibstat``, or of ``ibstatus``.

    Parameters
    ----------
    text : str
        Output of the tool, of one host.

    Returns
    -------
    tuple of IbPort
        One entry per port.

    Raises
    ------
    ValueError
        There is no adapter or no port with a rate, or a port comes twice.

    Notes
    -----
    The rate is the link's, in 10**9 bits/s and one direction. Source: infiniband-diags.

    Examples
    --------
    >>> port, = read_ibstat("CA 'mlx5_0'\n\tCA type: MT4129\n\tPort 1:\n\t\tState: Active\n\t\tRate: 400\n")
    >>> port.device, port.bytes_per_second
    ('mlx5_0', 50000000000.0)
    """
    lines = normalized_lines(text, "ibstat")
    device, ports = None, []
    for _, line in lines:
        if found := re.match(r"\s*CA '([^']+)'", line):
            device = found[1]
        elif found := _STATUS.match(line):
            device = found[1]
            ports.append({"device": device, "port": found[2]})
        elif device and (found := re.match(r"\s*Port (\d+):", line)):
            ports.append({"device": device, "port": found[1]})
        elif ports and (found := re.match(r"\s*([\w ]+?):\s*(.*?)\s*$", line)) and found[1] in _PORT_FIELDS:
            value = re.sub(r"^\d+: ", "", found[2])  # ibstatus prints the number of a state before its name
            ports[-1].setdefault(_PORT_FIELDS[found[1]], "Active" if value == "ACTIVE" else value)
    if device is None:
        raise line_error(*lines[0], "the output of ibstat, such as \"CA 'mlx5_0'\"")
    if re.search(r"\brate:[^\n]*\Z", text, re.IGNORECASE):
        whole_line(text)
    if not ports or not all(port.get("rate") for port in ports):
        raise line_error(*lines[-1], "a port with its Rate for each adapter; was the text cut off?")
    names = [(port["device"], port["port"]) for port in ports]
    if len({*names}) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"text has port {twice[1]} of {twice[0]} twice: pass the output of one host")
    return tuple(
        IbPort(
            port["device"], int(port["port"]), port.get("state"), port.get("physical_state"), port.get("link_layer"),
            1e9 / 8 * float(port["rate"].split()[0]),
        )
        for port in ports
    )  # fmt: skip
