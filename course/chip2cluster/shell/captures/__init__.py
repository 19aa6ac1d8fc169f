"""Captures that the ``read`` command knows: recognized by what only one tool prints, then read whole or refused."""

from ..._tool_output import normalize
from ..shared_options import UsageError
from .gpus import TOOLS as _GPUS
from .hosts import TOOLS as _HOSTS
from .jobs import TOOLS as _JOBS
from .networks import TOOLS as _NETWORKS
from .slurm import TOOLS as _SLURM
from .tool import Context, Finding, Tool

TOOLS = (*_NETWORKS, *_HOSTS, *_GPUS, *_SLURM, *_JOBS)

__all__ = ["TOOLS", "Context", "Finding", "Tool", "read_capture"]


def read_capture(text: str, context: Context, tool: str | None = None) -> tuple[Tool, Finding]:
    """Return the tool of a capture and what it says.

    Raises
    ------
    UsageError
        No tool is recognized, several are mixed, or the capture is cut or inconsistent.
    """
    names = ", ".join(one.name for one in TOOLS)
    if not text.strip():
        raise UsageError("the capture is empty")
    text = text.removeprefix("\ufeff")
    found = [one for one in TOOLS if (one.name == tool if tool else one.recognizes(text))]
    if not found and not tool:
        # Escape codes hide where a word begins.
        plain = normalize(text).text
        found = [one for one in TOOLS if one.recognizes(plain)]
    if not found:
        raise UsageError(f"no known tool prints this; known are {names}. --tool names the tool of an unusual capture")
    problems = []
    # A log may have lines of NCCL around the table of nccl-tests: the first tool that reads the capture has it.
    for one in found:
        try:
            return one, one.read(text, context)
        except ValueError as problem:
            problems.append(f"{one.name}: {problem}")
    raise UsageError("; ".join(problems))
