"""Number of devices that a replica needs."""

from __future__ import annotations

from math import ceil, floor
from typing import TYPE_CHECKING, Any

from .. import specs
from .._validate import one_whole
from ..transformer.config import check_config
from .deployment import deploy
from .replica_performance import largest_batch

if TYPE_CHECKING:
    from ..transformer import Config

MOST = 4096


def devices_needed(
    name: str | Config,
    chip: str | specs.Accelerator,
    context: int,
    sequences: int = 1,
    *,
    precision: str = "bf16",
    **options: Any,
) -> int | None:
    """Compute the fewest devices of a replica that hold the weights and the given sequences' KV cache.

    Parameters
    ----------
    name : str or transformer.Config
        Name of a published model, or a custom config.
    chip : str or specs.Accelerator
        Name of a chip of the catalogue, or a custom chip.
    context : int
        Tokens of each sequence at its longest.
    sequences : int
        Concurrent sequences.
    precision : str
        Precision of weights and products.
    **options : object
        Options of `deploy`: ``cache_precision``, ``weight_precision``, ``memory_share``, ``attention``.

    Returns
    -------
    int or None
        Number of devices; None if 4,096 are too few: with ``attention="data"`` each holds all attention weights.

    Notes
    -----
    Uses the memory that the driver reports (see `specs.Accelerator`). The number need not divide the heads;
    state that cannot be sharded is replicated. Ignores what `deploy` ignores. Source: the memory of
    `Deployment`.

    Examples
    --------
    >>> devices_needed("Llama 3 70B", "H100 SXM", 8192), devices_needed("Llama 3 70B", "H100 SXM", 8192, 64)
    (2, 4)
    """
    tokens, count = one_whole("context", context), one_whole("sequences", sequences)
    device = specs.accelerator(chip)
    config = check_config(name)
    # So many devices that every error is raised except that of too few; no copies without attention="data".
    weights = deploy(config, device, 10**9, precision, **{**options, "attention": "tensor"}).weight_memory
    room = options.get("memory_bytes", device.driver_memory_bytes) * options.get("memory_share", 1.0)
    least = floor(weights / room) + 1
    for devices in range(ceil(least), MOST + 1):
        try:
            replica = deploy(config, device, devices, precision, **options)
        except ValueError:  # the weights do not fit; all other errors were raised above
            continue
        if largest_batch(replica, tokens) >= count:
            return devices
    return None
