"""Links between chips and between machines, from lanes, rate and encoding."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._validate import whole
from .link import Link, build, data
from .names import generation_key, label, row_key, standard_width

if TYPE_CHECKING:
    from .._typing import ArrayLike

_PCIE_LANES = (1, 2, 4, 8, 12, 16, 32)
_PCIE_FLIT_LANES = (1, 2, 4, 8, 16)
_INFINIBAND_LANES = (1, 2, 4, 8, 12)


def pcie(generation: float | str, lanes: ArrayLike) -> Link:
    """PCI Express: lanes times rate times encoding, the same in both directions.

    Parameters
    ----------
    generation : int or str
        1 to 7; ``5``, ``5.0`` and ``"5.0"`` are the same.
    lanes : int or array of int
        1, 2, 4, 8 or 16, up to generation 5 also 12 and 32.

    Returns
    -------
    Link
        Bandwidths in bytes/s; arrays for an array of lanes.

    Raises
    ------
    ValueError, TypeError
        For an unknown generation or a width that the standard does not have.

    Notes
    -----
    Ignores packet headers and flow control, which cost 10 to 15 % (see
    `payload_efficiency`), and chipsets. "32 GB/s" for a generation 4 x16 slot is the
    rate of one direction. A flit of generation 6 carries 242 of its 256 bytes above
    CRC and FEC, of which 236 are transactions. Source: PCI-SIG base specifications.

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
    """NVLink: the links of one GPU together, or of as many links as named.

    Parameters
    ----------
    generation : int or str
        1 to 6.
    links : int or array of int, optional
        Links in parallel; without it all the links of that generation's GPU
        (4, 6, 12, 18, 18, 36).

    Returns
    -------
    Link
        Bandwidths in bytes/s. NVIDIA prints the sum of both directions.

    Raises
    ------
    ValueError, TypeError
        For an unknown generation or a number of links below 1.

    Notes
    -----
    Vendor data rates; packet headers are not counted: `rates` has what they leave, and
    what was measured (76 to 92 % by generation and engine). A GPU reaches the sum only
    through a switch or when it talks to several peers. Generation 6 is announced,
    not measured. Source: NVIDIA NVLink page, P100 whitepaper.

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
    """NVLink-C2C, the coherent link between the CPU and the GPU of a superchip.

    Returns
    -------
    Link
        450 GB/s one way, 900 GB/s both ways.

    Notes
    -----
    Joins Grace and Hopper; two GPUs talk over NVLink, not over this link. The CPU's
    memory may be slower or faster than the link. Source: NVIDIA Grace Hopper.

    Examples
    --------
    >>> nvlink_c2c().bandwidth_one_way / 1e9
    450.0
    """
    return build("nvlink_c2c", "1", "NVLink-C2C", 1, "link", note="between CPU and GPU")


def infiniband(rate: str, lanes: ArrayLike = 4) -> Link:
    """InfiniBand: signalling rate per lane, encoding, lanes.

    Parameters
    ----------
    rate : str
        SDR, DDR, QDR, FDR10, FDR, EDR, HDR, NDR or XDR; case is ignored.
    lanes : int or array of int
        1, 2, 4, 8 or 12; a port has 4.

    Returns
    -------
    Link
        Bandwidths in bytes/s of data, one way and both ways.

    Raises
    ------
    ValueError, TypeError
        For an unknown rate or width.

    Notes
    -----
    Names promise the data rate from EDR on; SDR to QDR are named by the signal, so
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
    """Ethernet at its nominal rate, which the lanes and their encoding yield exactly.

    Parameters
    ----------
    rate : str
        1GbE, 10GbE, 25GbE, 40GbE, 50GbE, 100GbE, 200GbE, 400GbE, 800GbE or 1.6TbE.

    Returns
    -------
    Link
        Bandwidths in bytes/s as the MAC sees them, frames and gaps included.

    Raises
    ------
    ValueError, TypeError
        For an unknown rate.

    Notes
    -----
    One common lane count for each rate; optics with fewer, faster lanes carry the
    same. Headers and gaps: `payload_efficiency`. Source: IEEE 802.3.

    Examples
    --------
    >>> ethernet("400GbE").bandwidth_one_way / 1e9
    50.0
    """
    key = row_key("rate", rate, "ethernet")
    return build("ethernet", key, key, data()["ethernet"][key]["width"], "lane")


def roce(rate: str) -> Link:
    """RDMA over Converged Ethernet: the same wire as `ethernet`, other headers.

    Parameters
    ----------
    rate : str
        As `ethernet`.

    Returns
    -------
    Link

    Raises
    ------
    ValueError, TypeError
        For an unknown rate.

    Notes
    -----
    The bandwidth is the wire's. RoCE v2 spends 82 bytes a packet:
    ``payload_efficiency("roce_v2", 4096)`` is 98 %. Source: IBTA annex A17.

    Examples
    --------
    >>> roce("400GbE").name
    'RoCE v2 over 400GbE'
    """
    key = row_key("rate", rate, "ethernet")
    width = data()["ethernet"][key]["width"]
    return build("ethernet", key, f"RoCE v2 over {key}", width, "lane", note="82 bytes of headers and gap a packet")


def xgmi(device: str, links: ArrayLike | None = None) -> Link:
    """AMD Infinity Fabric between GPUs: the links of one device, or as many as named.

    Parameters
    ----------
    device : str
        MI250X, MI300X, MI325X, MI350X or MI355X; case is ignored.
    links : int or array of int, optional
        Links in parallel; without it all of the device. One peer is one link away
        in a full mesh of eight.

    Returns
    -------
    Link
        Bandwidths in bytes/s.

    Raises
    ------
    ValueError, TypeError
        For an unknown device or a number of links below 1.

    Notes
    -----
    Unlike a switched fabric, two GPUs alone have one link: 64 GB/s of the 448 of an
    MI300X. Source: AMD data sheets, ROCm documentation.

    Examples
    --------
    >>> xgmi("MI300X").bandwidth_one_way / 1e9, xgmi("MI300X", links=1).bandwidth_one_way / 1e9
    (448.0, 64.0)
    """
    key = row_key("device", device, "xgmi")
    links = data()["xgmi"][key]["width"] if links is None else whole("links", links)
    return build("xgmi", key, label(f"xGMI {key} x", links), links, "link")
