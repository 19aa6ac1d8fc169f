"""Exercise on the triage of a stopped job: a kernel log and a flight recorder."""

import re

import numpy as np

from chip2cluster.exercise import verdict_codes as v
from chip2cluster.exercise.model import Exercise, Group, Mistake

from ..mutants import MUTANTS

REPLACE, RESET, PROGRAM = (64, 79), (48, 63, 95), (13, 31)
TEXT = {
    13: "pid={pid}, name=python, Graphics Exception: ESR 0x{code:x}",
    31: "pid={pid}, name=python, Ch 00000008, MMU Fault: ENGINE GRAPHICS faulted @ 0x7f{code:x}",
    43: "pid={pid}, name=python, Ch 00000008",
    45: "pid={pid}, name=python, Ch 00000008, Preemptive Channel Removal",
    48: "pid='<unknown>', name=<unknown>, An uncorrectable double bit error (DBE) has been detected on GPU in the framebuffer",
    63: "pid='<unknown>', name=<unknown>, Row Remapper: New row (0x{code:x}) marked for remapping, reset gpu to activate.",
    64: "pid='<unknown>', name=<unknown>, Row Remapper: Failed to remap row (0x{code:x})",
    79: "pid='<unknown>', name=<unknown>, GPU has fallen off the bus.",
    95: "pid='<unknown>', name=<unknown>, Uncontained ECC error",
}
OTHER_LINES = (
    "mlx5_core 0000:5e:00.0 ens5f0: Link up",
    "nvidia-nvswitch0: link 64 trained, retry count 79",
    "systemd[1]: Started Session 48 of user alice.",
    "EXT4-fs (nvme1n1): mounted filesystem with ordered data mode, 64 groups",
)


def triage(kernel_log, entered, completed, *, replace=REPLACE, reset=RESET, program=PROGRAM, order="hardware first"):
    """Name what stopped a job: a GPU, the program, a rank that did not come, or the network."""
    codes = {int(code) for code in re.findall(r"NVRM: Xid \([^)]*\): (\d+)", kernel_log)}
    entered, completed = np.asarray(entered), np.asarray(completed)
    log = [("replace", replace), ("reset", reset), ("program", program)]
    if order == "program first":
        log = log[::-1]
    found = next((word for word, those in log if codes & set(those)), "")
    hang = ""
    if entered.min() < entered.max():
        hang = f"rank {entered.argmin()}"
    elif completed.min() < entered.max():
        hang = "network"
    pair = (hang, found) if order == "recorder first" else (found, hang)
    return next((word for word in pair if word), "nothing")


def _line(generator, code):
    text = TEXT[code].format(pid=generator.integers(2000, 90000), code=generator.integers(4096, 2**24))
    return f"NVRM: Xid (PCI:0000:{generator.choice(['1b', '4f', '5d', '9b', 'cb'])}:00): {code}, {text}"


def _log(generator, *codes):
    lines = [_line(generator, code) for code in codes] + [str(line) for line in generator.permutation(OTHER_LINES)[:2]]
    seconds = np.sort(generator.uniform(10, 90000, len(lines)))
    # Of two Xids the order in time is that of their cause: the lines given first come first.
    places = np.sort(generator.choice(len(lines), len(codes), replace=False))
    rest = iter(lines[len(codes) :])
    xids = iter(lines[: len(codes)])
    ordered = [next(xids) if place in places else next(rest) for place in range(len(lines))]
    return "\n".join(f"[{second:12.6f}] {line}" for second, line in zip(seconds, ordered, strict=True))


def _recorder(generator, kind):
    """Last collective that each rank entered and completed."""
    ranks, last = int(generator.choice([4, 8, 16])), int(generator.integers(500, 90000))
    entered = np.full(ranks, last)
    completed = np.full(ranks, last - 1)
    if kind == "late":
        entered[generator.integers(ranks)] = last - 1
    elif kind == "done":
        completed = entered.copy()
    return {"entered": entered, "completed": completed}


def _case(generator, kind, *codes):
    return {"kernel_log": _log(generator, *codes), **_recorder(generator, kind)}


BY_HAND = {
    "kernel_log": "[   12.000000] systemd[1]: Started Session 48 of user alice.",
    "entered": np.array([9, 9, 8, 9]),
    "completed": np.array([8, 8, 8, 8]),
}


def _stops(generator):
    def pick(codes):
        return int(generator.choice(codes))

    drawn = [
        _case(generator, "late"),
        _case(generator, "late", 45),
        _case(generator, "stuck"),
        _case(generator, "stuck", 43),
        _case(generator, "done"),
        _case(generator, "late", pick(PROGRAM)),
        _case(generator, "late", pick(RESET)),
        _case(generator, "stuck", pick(REPLACE)),
        _case(generator, "late", 48, 64),
        _case(generator, "late", pick(RESET), pick(PROGRAM)),
        _case(generator, "done", 63),
    ]
    return [BY_HAND, *(drawn[place] for place in generator.permutation(len(drawn)))]


def _like(**other):
    return lambda kernel_log, entered, completed: triage(kernel_log, entered, completed, **other)


def _any_number(kernel_log, entered, completed):
    """Codes anywhere in the log."""
    numbers = {int(number) for number in re.findall(r"\b(\d+)\b", kernel_log)}
    for word, codes in (("replace", REPLACE), ("reset", RESET), ("program", PROGRAM)):
        if numbers & set(codes):
            return word
    return triage("", entered, completed)


def _first_xid(kernel_log, entered, completed):
    code = re.search(r"NVRM: Xid \([^)]*\): (\d+)", kernel_log)
    return triage(code.group(0) if code else "", entered, completed)


def _most_behind(kernel_log, entered, completed):
    word = triage(kernel_log, entered, completed)
    return f"rank {np.asarray(completed).argmin()}" if word.startswith("rank") else word


def _waiting(kernel_log, entered, completed):
    word = triage(kernel_log, entered, completed)
    return f"rank {np.asarray(entered).argmax()}" if word.startswith("rank") else word


def _rank_zero(kernel_log, entered, completed):
    word = triage(kernel_log, entered, completed)
    return "rank 0" if word == "network" else word


def _no_hang(kernel_log, entered, completed):
    return triage(kernel_log, [1], [1])


TRIAGE = Exercise(
    id="measure.triage",
    title="Why did the job stop?",
    signature="triage(kernel_log, entered, completed)",
    unit="",
    points=5,
    reference=triage,
    shows=(triage,),
    groups=(Group("stops", 1.0, _stops, v.VALUE),),
    hints=(
        "A hang is often a symptom. Which of the two sources can name its cause: the kernel log or the flight recorder?",
        "Take the numbers after 'NVRM: Xid (…):' from the log; other numbers mean something else. Look for the most serious one first.",
        "Xids: 64 or 79, 'replace'; else 48, 63 or 95, 'reset'; else 13 or 31, 'program'. Without these, compare entered between the "
        "ranks: if one is lower, it is that rank. If all are equal and some rank has not completed that one, 'network'.",
    ),
    solution=r"""
import re

import numpy as np


def triage(kernel_log, entered, completed):
    codes = {int(code) for code in re.findall(r"NVRM: Xid \([^)]*\): (\d+)", kernel_log)}
    for word, those in (("replace", {64, 79}), ("reset", {48, 63, 95}), ("program", {13, 31})):
        if codes & those:
            return word
    if np.min(entered) < np.max(entered):
        return f"rank {np.argmin(entered)}"
    return "network" if np.min(completed) < np.max(entered) else "nothing"
""",
    explanation=(
        "A GPU that fails takes its process with it, and the other ranks then wait in a collective. So check the "
        "kernel log first: it names the cause, and the flight recorder shows only which ranks wait. Without an Xid the "
        "recorder decides. The rank that has not entered the collective is the one to look at; the others wait for it. "
        "If all have entered and it does not complete, look at the links."
    ),
    meaning=lambda: (
        "A watchdog of 30 minutes on 1,024 GPUs wastes 512 GPU-hours before it reports a hang. The recorder's dump is worth its memory because the processes are gone afterwards."
    ),
    mutants=MUTANTS["measure.triage"],
    mistakes=(
        Mistake("the flight recorder first", _like(order="recorder first"), "You looked at the flight recorder first. A failed GPU stops its "
                "rank, and the others hang because of that: the kernel log names the cause."),
        Mistake("the program first", _like(order="program first"), "You blamed the least serious Xid. A memory error of the GPU can make the program fail, too: check for hardware Xids first."),
        Mistake("any number is an Xid", _any_number, "You took a number from another line for an Xid. Only the number after 'NVRM: Xid (…):' is one."),
        Mistake("the first Xid alone", _first_xid, "You looked at the first Xid alone. A more serious one may follow it."),
        Mistake("a remap failure is reset", _like(replace=(79,), reset=(*RESET, 64)), "You took Xid 64 for a reset. Here remapping the row "
                "failed: the memory can't be repaired by a reset."),
        Mistake("a remapped row is replaced", _like(replace=(*REPLACE, 63), reset=(48, 95)), "You replace a GPU for Xid 63. The row was remapped, "
                "and a reset activates the spare row."),
        Mistake("a killed process blamed", _like(program=(*PROGRAM, 43, 45)), "You blamed the program for Xid 43 or 45. These follow "
                "when a process is killed, for instance by the watchdog of a hang."),
        Mistake("memory errors blamed on the program", _like(reset=(63,), program=(*PROGRAM, 48, 95)), "You blamed the program for an "
                "uncorrectable memory error. It is the GPU's."),
        Mistake("the rank that waits", _waiting, "You named a rank that waits in the collective. The cause is the rank that has not entered it."),
        Mistake("by what is completed", _most_behind, "You compared what the ranks have completed. No rank completes a collective that one has not "
                "entered; compare what they have entered."),
        Mistake("always a rank", _rank_zero, "You named a rank although all have entered the same collective. Nobody is missing; the "
                "messages do not arrive."),
        Mistake("kernel log only", _no_hang, "You looked at the kernel log alone. A hang leaves no Xid; the flight recorder shows it."),
    ),
)  # fmt: skip
