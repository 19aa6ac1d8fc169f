"""Slurm job dependencies: parsing, and the graph of jobs that wait for others."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, TypeAlias

from .._validate import choice

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .jobs import Job

Name: TypeAlias = int | str

DEPENDENCIES = {
    "after": "the other has started",
    "afterany": "the other has ended in any state",
    "afterok": "the other has completed",
    "afternotok": "the other has failed or timed out",
    "aftercorr": "the task with the same number in the other array has completed",
    "singleton": "no earlier job with this user and name remains",
}


def dependencies(text: str) -> list[tuple[str, str]]:
    """Parse a Slurm dependency into pairs of kind and job; a singleton has no job.

    >>> dependencies("afterok:12:13,afterany:9")
    [('afterok', '12'), ('afterok', '13'), ('afterany', '9')]
    """
    if "," in text and "?" in text:
        raise ValueError(f"dependency must be joined by , (all) or by ? (any), not by both; got {text!r}")
    found = []
    for part in re.split("[,?]", text):
        kind, *names = part.strip().split(":")
        choice("dependency", kind, DEPENDENCIES)
        if kind == "singleton" and not names:
            found.append((kind, ""))
            continue
        if not names or not all(names):
            raise ValueError(f"dependency must name a job after the colon, as in {kind}:12, got {text!r}")
        found += [(kind, name) for name in names]
    return found


def sort_key(name: Name) -> tuple[tuple[int, int | str], ...]:
    """Return the key that sorts job names naturally, so that 9 comes before 10."""
    if type(name) is int:
        return ((0, name),)
    return tuple((0, int(piece)) if piece.isdigit() else (1, piece) for piece in re.findall(r"\d+|\D+", str(name)))


def dependency_edges(jobs: Sequence[Job]) -> list[list[tuple[str, int]]]:
    """Return for each job the kind and the index of every job that it depends on."""
    if not any(job.dependency for job in jobs):
        return [[] for _ in jobs]
    numbers: dict[str, list[int]] = {}
    for number, job in enumerate(jobs):
        numbers.setdefault(str(job.id), []).append(number)
        if job.array is not None:
            numbers.setdefault(str(job.array), []).append(number)
    earlier: dict[tuple[str, str], list[int]] = {}  # by user and job name
    edges: list[list[tuple[str, int]]] = [[] for _ in jobs]
    for number in sorted(range(len(jobs)), key=lambda number: (jobs[number].submit, sort_key(jobs[number].id))):
        job = jobs[number]
        alike = earlier.setdefault((job.user, job.name), [])
        for kind, name in dependencies(job.dependency) if job.dependency else ():
            if kind == "singleton":
                edges[number] += [("afterany", other) for other in alike]
                continue
            if kind == "aftercorr":
                kind, name = "afterok", f"{name}_{str(job.id).rpartition('_')[2]}"
            if name not in numbers:
                raise ValueError(f"job {job.id} depends on {name}, but there is no job of that name")
            edges[number] += [(kind, other) for other in numbers[name]]
        alike.append(number)
    _check_acyclic(jobs, edges)
    return edges


def _check_acyclic(jobs: Sequence[Job], edges: list[list[tuple[str, int]]]) -> None:
    """Raise ValueError if dependencies form a cycle (Kahn's algorithm)."""
    open_ = [len(others) for others in edges]
    behind: list[list[int]] = [[] for _ in jobs]
    for number, others in enumerate(edges):
        for _, other in others:
            behind[other].append(number)
    ready = [number for number, count in enumerate(open_) if not count]
    for number in ready:
        for other in behind[number]:
            open_[other] -= 1
            if not open_[other]:
                ready.append(other)
    if len(ready) < len(jobs):
        stuck = [str(jobs[number].id) for number, count in enumerate(open_) if count]
        raise ValueError(f"dependencies must not form a cycle; jobs {', '.join(stuck[:8])} wait for each other")
