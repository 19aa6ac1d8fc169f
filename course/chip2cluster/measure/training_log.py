"""Parser of the logs of training programs."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

from ._lines import line_error, normalized_lines

_NUMBER = r"([\d,]*\.?\d+(?:[eE][+-]?\d+)?)([KMB](?![A-Za-z]))?"
_SUFFIXES = {None: 1.0, "K": 1e3, "M": 1e6, "B": 1e9}  # nanotron shortens numbers


class TrainingStep(NamedTuple):
    """One logged step of a training run; None where the program prints nothing.

    Attributes
    ----------
    step : int
        Number of the step.
    seconds : float or None
        Time of a step, seconds.
    loss : float or None
        Loss.
    tokens_per_second : float or None
        Tokens per second of one device.
    flop_per_second : float or None
        Model FLOP/s of one device.
    mfu : float or None
        Model FLOPs utilization as a fraction.
    """

    step: int
    seconds: float | None
    loss: float | None
    tokens_per_second: float | None
    flop_per_second: float | None
    mfu: float | None


class TrainingLog(NamedTuple):
    """Log of a training run.

    Attributes
    ----------
    program : str
        Program whose form it is: ``"Megatron-LM"``, ``"torchtitan"``, ``"NeMo"``, ``"nanotron"``, ``"nanoGPT"`` or
        ``"MaxText"``.
    steps : tuple of TrainingStep
        Logged steps in the order of the text.
    """

    program: str
    steps: tuple[TrainingStep, ...]


class _Form(NamedTuple):
    program: str
    line: re.Pattern[str]
    fields: Mapping[str, tuple[re.Pattern[str], float]]


def _form(program: str, line: str, **fields: tuple[str, float]) -> _Form:
    return _Form(
        program, re.compile(line), {name: (re.compile(text + _NUMBER), scale) for name, (text, scale) in fields.items()}
    )


_FORMS = (
    # The lines of NeMo have Megatron's number of the iteration as well.
    _form("NeMo", r"^(?=.*reduced_train_loss).*?\bglobal_step[:=] ?(\d+)",
          seconds=(r"train_step_timing in s[:=] ?", 1.0), loss=(r"reduced_train_loss[:=] ?", 1.0),
          flop_per_second=(r"\bTFLOPS_per_GPU[:=] ?", 1e12)),
    _form("Megatron-LM", r"iteration\s+(\d+)/\s*\d+ \|", seconds=(r"elapsed time per iteration \(ms\): ", 1e-3),
          loss=(r"lm[ _]loss: ", 1.0),
          # The second is that of Megatron-DeepSpeed, the third that of GPT-NeoX.
          flop_per_second=(r"(?:throughput per GPU \(TFLOP/s/GPU\)|\bTFLOPs|approx flops per GPU): ", 1e12)),
    _form("torchtitan", r"\bstep:\s*(\d+)\s+loss:", loss=(r"\bloss:\s*", 1.0),
          tokens_per_second=(r"\b(?:tps|wps):\s*", 1.0), flop_per_second=(r"\btflops:\s*", 1e12), mfu=(r"\bmfu:\s*", 0.01)),
    _form("nanotron", r"\biteration: (\d+) / \d+ \|", seconds=(r"elapsed_time_per_iteration_ms: ", 1e-3), loss=(r"\blm_loss: ", 1.0),
          tokens_per_second=(r"tokens_per_sec_per_gpu: ", 1.0), flop_per_second=(r"model_tflops_per_gpu: ", 1e12)),
    _form("nanoGPT", r"\biter (\d+): loss", loss=(r"\bloss ", 1.0), seconds=(r"\btime ", 1e-3), mfu=(r"\bmfu ", 0.01)),
    _form("MaxText", r"completed step: (\d+), seconds:", seconds=(r"\bseconds: ", 1.0), loss=(r"\bloss: ", 1.0),
          tokens_per_second=(r"Tokens/s/device: ", 1.0), flop_per_second=(r"TFLOP/s/device: ", 1e12)),
)  # fmt: skip


def read_training_log(text: str) -> TrainingLog:
    """Parse the log of a training run of Megatron-LM, torchtitan, NeMo, nanotron, nanoGPT or MaxText.

    Parameters
    ----------
    text : str
        Log with at least one line of a step.

    Returns
    -------
    TrainingLog
        Program and steps.

    Raises
    ------
    ValueError
        No line is a step of one of these programs, or lines of several programs are mixed.

    Notes
    -----
    The FLOP/s and the MFU are the program's own, by its own convention. A step has one entry for each line about it, such as
    those of several ranks. Forks that print Megatron-LM's line are read as Megatron-LM. Ignores memory.
    Source: the programs' own output.

    Examples
    --------
    >>> log = read_training_log("iter 1631: loss 4.0863, time 500.00ms, mfu 31.20%")
    >>> log.program, log.steps[0].seconds, log.steps[0].mfu
    ('nanoGPT', 0.5, 0.312)
    """
    lines = normalized_lines(text, "a training run")
    found: dict[str, list[TrainingStep]] = {}
    for _, line in lines:
        for form in _FORMS:
            if match := form.line.search(line):
                # A first step of nanoGPT prints -100 % where it has not measured.
                values = {
                    name: scale * float(value[1].replace(",", "")) * _SUFFIXES[value[2]]
                    for name, (pattern, scale) in form.fields.items()
                    if (value := pattern.search(line))
                }
                fields = TrainingStep._fields[1:]
                step = TrainingStep(int(match[1]), *(values.get(name) for name in fields))
                found.setdefault(form.program, []).append(step)
                break
    if not found:
        raise line_error(*lines[0], f"lines of a step of {', '.join(form.program for form in _FORMS)}")
    if len(found) > 1:
        raise ValueError(f"text mixes logs of {' and '.join(found)}: pass one of them")
    ((program, steps),) = found.items()
    return TrainingLog(program, tuple(steps))
