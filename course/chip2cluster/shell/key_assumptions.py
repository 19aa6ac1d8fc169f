"""Assumptions that change an answer most: the ones that its short form shows."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .answer import Answer, Assumption

MOST = 5  # assumptions of the short form
# By command. Halving or doubling any other default changes the first three numbers of the command's example by less
# than a tenth.
_KEY = {
    "plan": ("kernel_share", "chip_price", "chips_per_node", "sequence", "nic"),
    "serve": ("chips_per_replica", "memory_share", "prompt", "output", "users", "interval", "rate_share", "spread"),
    "memory": ("recipe", "batch", "recompute", "targets", "sequence"),
    "checkpoint": ("chips_per_node", "node_mtbf", "bytes_per_parameter", "copy_bandwidth", "node_bandwidth"),
    "cost": ("price", "capital", "years", "used", "watts"),
    "network": ("chips_per_node", "oversubscription", "nic", "nodes_per_group", "radix"),
    "size": ("mfu", "sequence", "memory_share"),
}


def key_assumptions(answer: Answer) -> tuple[Assumption, ...]:
    """Return the assumptions of the short form: all if they are few, else the ones not given that change most."""
    if len(answer.assumptions) <= MOST:
        return answer.assumptions
    by_name = {one.name: one for one in answer.assumptions}
    names = [name for name in _KEY.get(answer.command, ()) if name in by_name and by_name[name].kind != "given"]
    return tuple(by_name[name] for name in names[:MOST]) or answer.assumptions[:MOST]
