"""Input pipelines of training: shards, shuffle buffers, row groups, prefetching.

>>> from chip2cluster import loading
>>> loading.shuffle_probabilities(4, 2)[0].round(3).tolist()          # where the first of four items comes out
[0.5, 0.25, 0.125, 0.125]
>>> loading.step_time(0.2, 0.9, workers=3)                     # seconds: three workers are too few
0.3
"""

from .data_loader import LoaderStep, loader_step
from .prefetch import PrefetchRun, prefetch_run, step_time, workers_needed
from .row_groups import RowGroups, groups_touched, read_amplification, row_groups
from .shard_assignment import assign_shards, most_shards, shard_efficiency, shards_in_batches
from .shuffle_buffer import ShuffleBuffer, ShuffleStep, shuffle_shards
from .shuffle_probabilities import ShuffleQuality, shuffle_probabilities, shuffle_quality

__all__ = [
    "LoaderStep",
    "PrefetchRun",
    "RowGroups",
    "ShuffleBuffer",
    "ShuffleQuality",
    "ShuffleStep",
    "assign_shards",
    "groups_touched",
    "loader_step",
    "most_shards",
    "prefetch_run",
    "read_amplification",
    "row_groups",
    "shard_efficiency",
    "shards_in_batches",
    "shuffle_probabilities",
    "shuffle_quality",
    "shuffle_shards",
    "step_time",
    "workers_needed",
]
