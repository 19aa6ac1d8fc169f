"""Random variants of a scenario: uncertain numbers drawn from their ranges."""

from __future__ import annotations

from dataclasses import replace
from math import log

import numpy as np

from .._validate import one_positive, one_whole
from ..specs import Accelerator, accelerator
from .kernel_efficiency import kernel_share
from .scenario import Scenario, check_scenario


def worlds(
    scenario: Scenario,
    chip: str | Accelerator,
    count: int,
    seed: int = 0,
    *,
    kernel_factor: float = 1.1,
    mtbf_factor: float = 1.5,
) -> tuple[Scenario, ...]:
    """Draw random scenarios with faster or slower kernels and more or less reliable nodes than assumed.

    Parameters
    ----------
    scenario : Scenario
        Training run, its limits and assumptions.
    chip : str or specs.Accelerator
        Chip with uncertain kernel efficiency.
    count : int
        Number of scenarios.
    seed : int
        Seed of the random numbers.
    kernel_factor, mtbf_factor : float
        Largest factor, at least 1, by which the kernel efficiency and the MTBF of a node deviate in either direction,
        uniformly on a logarithmic scale.

    Returns
    -------
    tuple of Scenario
        Random variants of the scenario.

    Notes
    -----
    Ignores other uncertain numbers, and correlation of the two. The fraction of peak is limited to 1.

    Examples
    --------
    >>> scenario = Scenario(model="Llama 3 8B", tokens=1e12, global_batch=512)
    >>> [round(world.kernel_share, 2) for world in worlds(scenario, "H100 SXM", 3)]
    [0.52, 0.47, 0.54]
    """
    check_scenario(scenario)
    number, first = one_whole("count", count), one_whole("seed", seed, 0)
    for name, factor in (("kernel_factor", kernel_factor), ("mtbf_factor", mtbf_factor)):
        if one_positive(name, factor) < 1:
            raise ValueError(f"{name} must be at least 1, got {factor}")
    share = scenario.kernel_share or kernel_share(accelerator(chip), scenario.precision).share
    generator = np.random.default_rng(first)
    kernels, nodes = np.exp(generator.uniform(-1, 1, (number, 2)) * [log(kernel_factor), log(mtbf_factor)]).T.tolist()
    return tuple(
        replace(
            scenario,
            kernel_share=min(share * faster, 1.0),
            failures=replace(scenario.failures, node_mtbf=scenario.failures.node_mtbf * longer),
        )
        for faster, longer in zip(kernels, nodes, strict=True)
    )
