"""Links between chips and between machines, computed from lanes, rate and encoding."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._validate import whole
from .link import Link, build, data
from .lookup import generation_key, label, row_key, standard_width

if TYPE_CHECKING:
    from .._typing import ArrayLike

_PCIE_LANES = (1, 2, 4, 8, 12, 16, 32)
_PCIE_FLIT_LANES = (1, 2, 4, 8, 16)
_INFINIBAND_LANES = (1, 2, 4, 8, 12)


def pcie(generation: float | str, lanes: ArrayLike) -> Link:
    """Return a PCI Express link: lanes times rate times encoding, equal in both directions.

    Parameters
    ----------
    generation : int or str
        Generation, 1 to 7; ``5``, ``5.0`` and ``"5.0"`` are equivalent.
    lanes : int or array of int
        Number of lanes: 1, 2, 4, 8 or 16, up to generation 5 also 12 and 32.

    Returns
    -------
    Link
        Link with bandwidths in bytes/s; arrays for an array of lanes.

    Raises
    ------
    ValueError
        If the standard has no such generation or width.

    Notes
    -----
    Ignores packet headers and flow control, which cost 10 to 15 % (see
    `payload_efficiency`), and chipsets. "32 GB/s" for a generation 4 x16 slot is the
    rate of one direction. A flit of generation 6 has 242 of its 256 bytes above CRC and
    FEC, of which 236 are transactions. Source: PCI-SIG base specifications.

    Examples
    --------
    >>> round(pcie(5, 16).bandwidth_one_way / 1e9, 2), round(pcie(5, 16).bandwidth_both_ways / 1e9)
    (63.02, 126)
    """
    key = generation_key(generation, "pcie")
    choices = _PCIE_LANES if int(key) <= 5 else _PCIE_FLIT_LANES
    lanes = standard_width("lanes", lanes, choices, f"PCIe {key}.0")
    return build("pcie", key, label(f"PCIe {key}.0 x", lanes), lanes, "lane")


def nvlink(generation: float | str, links: ArrayLike | None = None) -> Link:
    """Return the NVLink connection of one GPU, or of a given number of links.

    Parameters
    ----------
    generation : int or str
        Generation, 1 to 6.
    links : int or array of int, optional
        Number of parallel links; by default all links of that generation's GPU
        (4, 6, 12, 18, 18, 36).

    Returns
    -------
    Link
        Link with bandwidths in bytes/s. NVIDIA states the sum of both directions.

    Notes
    -----
    Vendor data rates without packet headers; `rates` has the payload rates and measured
    rates (76 to 92 % by generation and engine). A GPU reaches the sum only through a
    switch or with several peers. Generation 6 is announced, not measured. Source: NVIDIA
    NVLink page, P100 whitepaper.

    Examples
    --------
    >>> nvlink(4).bandwidth_one_way / 1e9, nvlink(4).bandwidth_both_ways / 1e9
    (450.0, 900.0)
    >>> nvlink(2, links=18).bandwidth_both_ways / 1e9        # the ports of one NVSwitch
    900.0
    """
    key = generation_key(generation, "nvlink")
    row = data()["nvlink"][key]
    links = row["width"] if links is None else whole("links", links)
    return build(
        "nvlink", key, label(f"NVLink {key} x", links), links, "link", note=f"a GPU has {row['width']}: {row['device']}"
    )


def nvlink_c2c() -> Link:
    """Return NVLink-C2C, the coherent link between the CPU and the GPU of a superchip.

    Returns
    -------
    Link
        Link of 450 GB/s one way, 900 GB/s both ways.

    Notes
    -----
    Connects Grace and Hopper; two GPUs communicate over NVLink, not over this link. The
    CPU's memory may be slower or faster than the link. Source: NVIDIA Grace Hopper.

    Examples
    --------
    >>> nvlink_c2c().bandwidth_one_way / 1e9
    450.0
    """
    return build("nvlink_c2c", "1", "NVLink-C2C", 1, "link", note="between CPU and GPU")


def infiniband(rate: str, lanes: ArrayLike = 4) -> Link:
    """Return an InfiniBand link: lanes times signalling rate times encoding.

    Parameters
    ----------
    rate : str
        Rate SDR, DDR, QDR, FDR10, FDR, EDR, HDR, NDR or XDR, in any case.
    lanes : int or array of int
        Number of lanes, 1, 2, 4, 8 or 12; a port has 4.

    Returns
    -------
    Link
        Link with data bandwidths in bytes/s.

    Notes
    -----
    From EDR on, names state the data rate; SDR to QDR state the signalling rate, so
    "40 Gb/s" QDR carries 32. FDR's 56 carry 54.5. Headers: `payload_efficiency`.
    Source: IBTA roadmap and specification.

    Examples
    --------
    >>> infiniband("NDR").bandwidth_one_way / 1e9, infiniband("QDR").bandwidth_one_way / 1e9
    (50.0, 4.0)
    """
    key = row_key("rate", rate, "infiniband")
    lanes = standard_width("lanes", lanes, _INFINIBAND_LANES, "InfiniBand")
    return build("infiniband", key, label(f"InfiniBand {key} ", lanes) + "x", lanes, "lane")


def ethernet(rate: str) -> Link:
    """Return an Ethernet link at its nominal rate, which lanes and encoding give exactly.

    Parameters
    ----------
    rate : str
        Rate 1GbE, 10GbE, 25GbE, 40GbE, 50GbE, 100GbE, 200GbE, 400GbE, 800GbE or 1.6TbE.

    Returns
    -------
    Link
        Link with bandwidths in bytes/s at the MAC, frames and gaps included.

    Notes
    -----
    One common lane count for each rate; optics with fewer, faster lanes have the same
    rate. Headers and gaps: `payload_efficiency`. Source: IEEE 802.3.

    Examples
    --------
    >>> ethernet("400GbE").bandwidth_one_way / 1e9
    50.0
    """
    key = row_key("rate", rate, "ethernet")
    return build("ethernet", key, key, data()["ethernet"][key]["width"], "lane")


def roce(rate: str) -> Link:
    """Return a RoCE link, RDMA over Converged Ethernet: the rate of `ethernet` with other headers.

    Parameters
    ----------
    rate : str
        Rate 1GbE, 10GbE, 25GbE, 40GbE, 50GbE, 100GbE, 200GbE, 400GbE, 800GbE or 1.6TbE.

    Returns
    -------
    Link
        Link with the bandwidth of Ethernet, bytes/s.

    Notes
    -----
    The bandwidth includes headers. RoCE v2 has 82 bytes of them per packet:
    ``payload_efficiency("roce_v2", 4096)`` is 98 %. Source: IBTA annex A17.

    Examples
    --------
    >>> roce("400GbE").name
    'RoCE v2 over 400GbE'
    """
    key = row_key("rate", rate, "ethernet")
    width = data()["ethernet"][key]["width"]
    return build("ethernet", key, f"RoCE v2 over {key}", width, "lane", note="82 bytes of headers and gap per packet")


def xgmi(device: str, links: ArrayLike | None = None) -> Link:
    """Return the xGMI (AMD Infinity Fabric) connection of one GPU, or of a given number of links.

    Parameters
    ----------
    device : str
        Product MI250X, MI300X, MI325X, MI350X or MI355X, in any case.
    links : int or array of int, optional
        Number of parallel links; by default all links of the device. In a full mesh of
        eight, each peer has one link.

    Returns
    -------
    Link
        Link with bandwidths in bytes/s.

    Notes
    -----
    Without a switch, a pair of GPUs has one link: 64 GB/s of the 448 of an MI300X.
    Source: AMD datasheets, ROCm documentation.

    Examples
    --------
    >>> xgmi("MI300X").bandwidth_one_way / 1e9, xgmi("MI300X", links=1).bandwidth_one_way / 1e9
    (448.0, 64.0)
    """
    key = row_key("device", device, "xgmi")
    links = data()["xgmi"][key]["width"] if links is None else whole("links", links)
    return build("xgmi", key, label(f"xGMI {key} x", links), links, "link")
