"""Parallel layout by rule of thumb, as most guides recommend, for comparison with the search."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..parallelism import Layout
from . import formulas
from .design import check_design
from .kernel_efficiency import kernel_share
from .scenario import check_scenario

if TYPE_CHECKING:
    from .design import Design
    from .scenario import Scenario


def layout_by_rule(design: Design, scenario: Scenario) -> Layout | None:
    """Choose a parallel layout with a decision tree: the first branch in which a replica fits.

    The branches are one replica per chip; the smallest sufficient tensor parallelism (TP) within the domain; TP over
    the whole domain with the fewest sufficient pipeline stages (PP). Data parallelism (DP) takes the remaining chips.

    Parameters
    ----------
    design : Design
        Cluster; its own layout is ignored.
    scenario : Scenario
        Training run to lay out.

    Returns
    -------
    parallelism.Layout or None
        The layout; None if no branch fits and divides the batch evenly.

    Raises
    ------
    PrecisionNotSupported
        The chip does not have the precision of the scenario.

    Notes
    -----
    Uses selective recomputation, one chunk per stage and an unsharded optimizer. Ignores time: no branch computes the
    step time. Source: the common advice of guides to distributed training.

    Examples
    --------
    >>> from chip2cluster.capstone import Design, Scenario
    >>> scenario = Scenario(model="Llama 3 70B", tokens=15e12, global_batch=2048)
    >>> found = layout_by_rule(Design(chip="H100 SXM", nodes=128), scenario)
    >>> found.tensor, found.pipeline, found.data
    (8, 4, 32)
    """
    check_design(design)
    scenario = design.scenario(check_scenario(scenario))
    m = formulas.machine(design, scenario, kernel_share(design.accelerator, scenario.precision).share)
    inside = [2**power for power in range(design.domain.bit_length()) if 2**power <= design.domain]
    branches = [(tensor, 1) for tensor in inside]
    branches += [(inside[-1], stages) for stages in range(2, scenario.config.layers + 1)]
    for tensor, stages in branches:
        if design.devices % (tensor * stages):
            continue
        layout = Layout(tensor, stages, design.devices // (tensor * stages))
        if layout.problems(
            scenario.config, scenario.global_batch, sequence=scenario.sequence, devices=design.devices
        ):  # fmt: skip
            continue
        held = formulas.memory(scenario, layout, layout.micro_batches(scenario.global_batch))
        if float(np.max(sum(part + 0.0 for part in held.values()))) <= m.memory:
            return layout
    return None
