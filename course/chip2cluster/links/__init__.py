"""Links: bandwidths and transfer times of PCIe, NVLink, InfiniBand, Ethernet and memory.

Every bandwidth is bytes/s of data after line encoding; its name says whether it is
unidirectional. Times follow the alpha-beta model: a latency and a term proportional to
the bytes. A `Link` has the datasheet's rate; `rates` has payload and measured rates.

>>> from chip2cluster import links
>>> round(links.transfer_time(1e9, links.pcie(5, 16).bandwidth_one_way) * 1e3, 1)   # ms
15.9
"""

from .connections import connections_per_adapter, largest_cluster
from .cost import (
    break_even_size,
    effective_bandwidth,
    half_bandwidth_message_size,
    message_size_for,
    payload_efficiency,
    transfer_time,
)
from .custom_link import OwnLink, own
from .fabrics import ethernet, infiniband, nvlink, nvlink_c2c, pcie, roce, xgmi
from .flow_control import FLOW_CONTROLS, QueueRun, credit_bandwidth, pause_headroom, pause_threshold, queue_run
from .link import Link
from .loggp import loggp_time, message_interval, messages_in_flight, stream_time
from .measured_rates import MeasuredRate, Rates, measured_links, rates, rates_table
from .memory_bus import hbm, memory_bandwidth
from .pipeline import best_pieces, pipelined_time
from .tables import table
from .topology_matrix import NodeMatrix, node_matrix
from .verbs import Completion, QueuePair, Status, connect

__all__ = [
    "FLOW_CONTROLS",
    "Completion",
    "Link",
    "MeasuredRate",
    "NodeMatrix",
    "OwnLink",
    "QueuePair",
    "QueueRun",
    "Rates",
    "Status",
    "best_pieces",
    "break_even_size",
    "connect",
    "connections_per_adapter",
    "credit_bandwidth",
    "effective_bandwidth",
    "ethernet",
    "half_bandwidth_message_size",
    "hbm",
    "infiniband",
    "largest_cluster",
    "loggp_time",
    "measured_links",
    "memory_bandwidth",
    "message_interval",
    "message_size_for",
    "messages_in_flight",
    "node_matrix",
    "nvlink",
    "nvlink_c2c",
    "own",
    "pause_headroom",
    "pause_threshold",
    "payload_efficiency",
    "pcie",
    "pipelined_time",
    "queue_run",
    "rates",
    "rates_table",
    "roce",
    "stream_time",
    "table",
    "transfer_time",
    "xgmi",
]
