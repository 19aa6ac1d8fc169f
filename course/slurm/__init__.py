"""A real Slurm of a few virtual nodes on one machine, to hold the scheduling models against: ``python -m course.slurm``.

It needs Debian's packages ``slurm-wlm`` and ``munge`` and root, no systemd. It brings its own munge, its own ports and its
own folder, and stops what it started.
"""

from .cluster import Cluster, missing
from .submit import Ran, replay

__all__ = ["Cluster", "Ran", "missing", "replay"]
