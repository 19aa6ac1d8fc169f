"""Storage: striping, metadata, locks, replicas, object stores and caches.

Sizes are bytes and times seconds. The models know no device: rates are arguments.

>>> from chip2cluster import storage
>>> layout = storage.StripeLayout(stripe_size=2**20, stripe_count=4, first_ost=3, ost_count=8)
>>> layout.locate(5 * 2**20), layout.bytes_per_object(6 * 2**20).tolist()
(Location(stripe=1, ost=4, object_offset=1048576), [2097152, 2097152, 1048576, 1048576])
"""

from .getstripe import FileStripes, read_getstripe
from .locks import LockTraffic, lock_time, lock_traffic, token_ping_pong
from .metadata import dataset_time, listing_requests, metadata_time, smallest_file
from .object_store import cached_rate, lru_hit_rate, lru_hits, request_cost, zipf_popularity
from .progressive_layout import Component, ComponentUse, ProgressiveLayout
from .read_bandwidth import mixed_rate, striped_time
from .replicas import loss_chance, mean_time_to_loss
from .replicated_blocks import GfsFile, HdfsFile, gfs_chunks, hdfs_blocks, hdfs_dead_after
from .setstripe import read_setstripe
from .striping import Extents, Location, StripeLayout, beegfs_layout
from .write_patterns import segmented_writes, strided_writes

__all__ = [
    "Component",
    "ComponentUse",
    "Extents",
    "FileStripes",
    "GfsFile",
    "HdfsFile",
    "Location",
    "LockTraffic",
    "ProgressiveLayout",
    "StripeLayout",
    "beegfs_layout",
    "cached_rate",
    "dataset_time",
    "gfs_chunks",
    "hdfs_blocks",
    "hdfs_dead_after",
    "listing_requests",
    "lock_time",
    "lock_traffic",
    "loss_chance",
    "lru_hit_rate",
    "lru_hits",
    "mean_time_to_loss",
    "metadata_time",
    "mixed_rate",
    "read_getstripe",
    "read_setstripe",
    "request_cost",
    "segmented_writes",
    "smallest_file",
    "strided_writes",
    "striped_time",
    "token_ping_pong",
    "zipf_popularity",
]
