"""Training run and machine that the explorers start with, as the chapter designs them."""

from chip2cluster import capstone
from chip2cluster.draw.format import DAY
from chip2cluster.parallelism import Layout

FAILURES = capstone.FailureRates(node_mtbf=288 * DAY, group_nodes=32, group_mtbf=500 * DAY)
SCENARIO = capstone.Scenario(
    model="Llama 3.1 405B", tokens=15.6e12, global_batch=2048, capital_dollars=500e6, watts=20e6,
    deadline_seconds=90 * DAY, failures=FAILURES,
)  # fmt: skip
DESIGN = capstone.Design(
    chip="B200", nodes=1024, spares=32, storage_bytes_per_second=400e9, checkpoint_interval=1800.0,
    layout=Layout(tensor=8, pipeline=8, data=128, chunks=15, zero_stage=1),
)  # fmt: skip
