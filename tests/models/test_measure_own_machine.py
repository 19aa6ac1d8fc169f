"""machine_text and read_machine: round trip, and hostile input."""

import json

import numpy as np
import pytest

from chip2cluster import measure
from chip2cluster.measure import machine_from, machine_text, read_machine, recorded, recorded_machine
from chip2cluster.measure.own_machine import STORED
from tests.tables import every_row

NAMES = ("ping-pong", "all-reduce", "ring")
RUNS = [recorded(f"mpi {name}, 2 ranks, quiet") for name in NAMES]
TEXT = machine_text(*RUNS)


def changed(**what):
    return json.dumps(json.loads(TEXT) | what)


def test_machine_text_round_trip():
    machine = read_machine(TEXT)
    for run, read in zip(RUNS, (machine.ping_pong, machine.all_reduce, machine.ring), strict=True):
        assert read == pytest.approx(run.seconds, rel=1e-3)
        assert machine.message_bytes.tolist() == run.message_bytes.tolist()
    assert (machine.ranks, machine.system) == (2, "virtual machine, 2 cores")


def test_measured_runs_can_be_serialized():
    how = {"backend": "multiprocessing", "repeats": 3, "budget_seconds": 0.2}
    sizes = [8, 64, 4096, 2**16, 2**20, 2**22]
    runs = (measure.ping_pong(sizes, **how), measure.all_reduce(2, sizes, **how),
            measure.all_reduce(2, sizes, algorithm="ring", **how))  # fmt: skip
    assert read_machine(machine_text(*runs)).message_bytes.tolist() == sizes


HOSTILE = {
    "cut off": (TEXT[:200], "text is not JSON"),
    "another tool": ("# nccl-tests version 2.13", "text is not JSON"),
    "a number": ("7", '"format"'),
    "another format": (changed(format="other"), '"format"'),
    "too long": (" " * 70_000 + TEXT, "at most 65536 characters"),
    "deep": ("[" * 60_000, "text is"),
    "huge number": ('{"format": ' + "9" * 5000 + "}", "text is JSON with too deep nesting"),
    "code": ("__import__('os').getcwd()", "text is not JSON"),
    "no list": (changed(ring="fast"), "ring must be a list of numbers"),
    "truth values": (changed(ring=[True] * 24), "ring must be a list of numbers"),
    "text for numbers": (changed(ring=["1"] * 24), "ring must be a list of numbers"),
    "missing": (json.dumps({"format": "chip2cluster machine 1", "ranks": 2}), "message_bytes must be a list"),
    "other length": (changed(ring=[1e-6] * 23), "ring must hold a time for each of 24 sizes, got 23"),
    "below zero": (changed(ring=[-1e-6] * 24), "which is not plausible"),
    "nan": (TEXT.replace("[8, 16", "[NaN, 16"), "message_bytes must be whole, increasing"),
    "infinite": (TEXT.replace("[8, 16", "[1e999, 16"), "message_bytes must be whole, increasing"),
    "past floats": (changed(ring=[10**400] * 24), "ring must hold numbers that fit a 64-bit float"),
    "infinite times": (changed(ring=[float("inf")] * 24), "which is not plausible"),
    "faster than memory": (changed(ring=[1e-8] * 24), "which no memory reaches"),
    "falling sizes": (changed(message_bytes=sorted(json.loads(TEXT)["message_bytes"])[::-1]), "increasing"),
    "parts of bytes": (TEXT.replace("[8, 16", "[8.5, 16"), "message_bytes must be whole"),
    "few sizes": (changed(message_bytes=[8, 16]), "message_bytes must hold 6 to 64 sizes, got 2"),
    "many sizes": (changed(message_bytes=list(range(1, 100))), "message_bytes must hold 6 to 64"),
    "one rank": (changed(ranks=1), "ranks must be a whole number"),
    "many ranks": (changed(ranks=10**9), "ranks must be a whole number"),
    "ranks as truth": (changed(ranks=True), "ranks must be a whole number"),
}  # fmt: skip


@every_row("text, says", HOSTILE.values())
def test_hostile_text_falls_back_to_recorded_machine(text, says):
    with pytest.raises(ValueError, match=says):
        read_machine(text)
    machine, said = machine_from(text)
    assert said.startswith("Recorded, because your text was rejected: ") and "\n" not in said and len(said) < 400
    assert machine.ping_pong.tolist() == recorded_machine().ping_pong.tolist()


def test_long_names_and_unknown_keys_are_harmless():
    machine = read_machine(changed(system="<script>" * 100, more={"deep": [1]}))
    assert len(machine.system) == 80


def test_machine_without_bandwidth_is_rejected():
    flat = np.linspace(2e-6, 1e-6, 24).tolist()
    assert "ping_pong must grow" in machine_from(changed(ping_pong=flat, message_bytes=list(range(8, 32))))[1]


def test_stored_machine_is_the_quiet_run():
    assert STORED.read_text(encoding="utf-8").strip() == TEXT


def test_empty_text_gives_recorded_machine():
    assert machine_from("  \n")[1] == "Recorded: two ranks on virtual machine, 2 cores."
    assert machine_from(TEXT)[1] == "Your own: 2 ranks on virtual machine, 2 cores."


def test_machine_text_rejects_mismatched_runs():
    with pytest.raises(TypeError, match="ring must be a run from measure.ring, got float"):
        machine_text(RUNS[0], RUNS[1], 7.0)
    with pytest.raises(ValueError, match="ring must have the sizes of ping_pong"):
        machine_text(RUNS[0], RUNS[1], recorded("aws-p5-2n"))
    with pytest.raises(ValueError, match="ring must have the 2 ranks of all_reduce, got 4"):
        machine_text(RUNS[0], RUNS[1], recorded("mpi ring, 4 ranks, loaded"))
    with pytest.raises(TypeError, match="text must be the output of machine_text"):
        machine_from(None)
