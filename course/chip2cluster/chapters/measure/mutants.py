"""Answers that the doctor grades, with the verdict that each must get, by the id of their exercise."""

from chip2cluster.exercise import verdict_codes as v
from chip2cluster.exercise.model import Mutant

MUTANTS = {
    "measure.ring_all_reduce": (
        Mutant(
            source="""
from chip2cluster import measure
def ring_all_reduce(buffers):
    def program(comm, data):
        yield comm.send(data, (comm.rank + 1) % comm.size)
        return data + (yield comm.receive((comm.rank - 1) % comm.size))
    return measure.run_ranks(program, buffers).rows
""",
            verdict=v.RAISES,
            says="All send, and nobody receives",
        ),
        Mutant(
            source="""
from chip2cluster import measure
def ring_all_reduce(buffers):
    def program(comm, data):
        for step in range(2 * (comm.size - 1)):
            yield comm.send_receive(data[: len(data) // comm.size], (comm.rank + 1) % comm.size, (comm.rank - 1) % comm.size)
        return buffers.sum(0)
    return measure.run_ranks(program, buffers).rows
""",
            verdict=v.RAISES,
            says="uses the outer array buffers",
        ),
        Mutant(
            source="""
from chip2cluster import measure
def ring_all_reduce(buffers):
    def program(comm, data):
        got = comm.send_receive(data, (comm.rank + 1) % comm.size, (comm.rank - 1) % comm.size)
        yield comm.send(data + got, (comm.rank + 1) % comm.size)
    return measure.run_ranks(program, buffers).rows
""",
            verdict=v.RAISES,
            says="got = yield comm.send_receive",
        ),
    ),
    "measure.trace_costs": (
        Mutant(
            source="""
def trace_costs(names, start, seconds, stream, kinds):
    return sorted({kinds[part] for part in kinds for name in names if part in name}) + ["idle"]
""",
            verdict=v.VALUE,
            says="it doesn't match a known mistake",
        ),
    ),
    "measure.step_gain": (
        Mutant(
            source="""
def step_gain(kernels, gaps, host, kind, factor):
    total = sum(kernels.values()) + gaps + host
    return total / (total - kernels[kind])
""",
            verdict=v.VALUE,
            says="it doesn't match a known mistake",
        ),
    ),
    "measure.triage": (
        Mutant(
            source="""
def triage(kernel_log, entered, completed):
    return "reset" if "Xid" in kernel_log else "rank 2"
""",
            verdict=v.VALUE,
            says="it doesn't match a known mistake",
        ),
    ),
}
