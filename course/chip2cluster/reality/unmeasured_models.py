"""Models without published measurements to compare with, and the reasons."""

from __future__ import annotations

UNMEASURED = {
    "systolic.cycles": "cycles agree with another simulator; nobody publishes a TPU's time by size in small steps",
    "topology.bisection": "a count of links, proved; nobody publishes a run that loads the cut of a whole machine",
    "topology.all_to_all_time": "an exchange of experts is measured up to 256 GPUs, as a rate that counts more than the network carries",
    "collectives.hierarchical_all_reduce_time": "libraries overlap its phases; what is compared is the slower phase alone",
    "collectives.bucketed_exposed_time": "a trace with the size and the start of each bucket is not public",
    "collectives.switch_crossover_ranks": "seen on three machines: 5, 5 and 6 GPUs; too few to be a kind",
    "hierarchy.tiers": "a table of measured latencies and printed rates; it predicts nothing",
    "measure.benchmark": "it measures; it predicts nothing",
    "measure.fit_regimes": "lab 15 forecasts an all-reduce from a ping-pong, on a machine of our own: its runs have no public address",
    "measure.redraw": "it repeats what was measured; it predicts nothing",
    "occupancy.occupancy": "counts agree with the maker's own calculator; a count is no measurement",
    "occupancy.warps_needed": "the inverse of the bandwidth by memory-level parallelism, which is compared",
    "parallelism.schedule": "agrees with another simulator and with proved optima; nobody publishes the times of the stages of a run",
    "loading.step_time": "waits for data are published as shares of a step, without the workers' own times",
    "loading.shuffle_probabilities": "exact, and as shuffles that are played; nobody publishes where items came out",
    "reliability.checkpoint_bytes": "seven sizes of three models are published and agree within 4 %, an eighth holds two copies and more; too few to be a kind",
    "reliability.expected_time": "the share of time left is published of few runs, without their dumps and restarts",
    "roofline.attention_decode": "measured, as a part of serving alone",
    "roofline.decode_step": "measured inside of a service, where prompts are read between its steps; the whole is compared, as serving",
    "storage.striped_time": "rates of whole file systems are published, of one file on so many targets hardly any",
    "placement.ray_placement": "decisions agree with a real Ray; a decision is no measurement",
    "serving.throughput_bound": "a bound, above every published rate in `serving.measured_table`; what is forecast is `serving.stream_rate`",
    "economics.bill": "printed tonnes are among the books, and hours are forecast; nobody prints all factors of a bill with what it was in the end",
    "transformer.kv_cache_memory": "a count; what a server reserves beside it is not published",
}


def unmeasured() -> dict[str, str]:
    """List the models without a comparison, with the reasons.

    Returns
    -------
    dict of str to str
        Reasons by module and name of a public model.

    Notes
    -----
    Lists the larger models, not every helper. Source: our search for measurements.

    Examples
    --------
    >>> "topology.bisection" in unmeasured()
    True
    """
    return dict(UNMEASURED)
