"""Sentences that tell a student and an instructor what had to be put back."""

from .matching import ReleasedCell

MAX_NAMED = 6  # cells named in one sentence


class Repairs:
    """Collects repairs, one sentence a kind: twenty deleted cells are one sentence, not twenty."""

    def __init__(self) -> None:
        self._slots: dict[str, list[ReleasedCell]] = {}

    def add(self, template: str, slot: ReleasedCell | None = None) -> None:
        """Note a repair.

        Parameters
        ----------
        template : str
            May hold ``{Cells}`` or ``{cells}`` ("the cell `x`"), and the words that go
            with them: ``{it was}``, ``{it is}``, ``{it runs}``, ``{it}`` and ``{its}``.
        slot : Slot, optional
            The released cell it is about.
        """
        slots = self._slots.setdefault(template, [])
        if slot and slot not in slots:
            slots.append(slot)

    def sentences(self) -> tuple[str, ...]:
        return tuple(
            _sentence(template, [f"`{slot.name}`" for slot in slots]) for template, slots in self._slots.items()
        )


def _sentence(template: str, names: list[str]) -> str:
    single = len(names) == 1
    cells = "the cell " + names[0] if single else "the cells " + _listed(names) if names else ""
    return template.format(
        **{
            "cells": cells,
            "Cells": cells[:1].upper() + cells[1:],
            "it was": "it was" if single else "they were",
            "it is": "it is" if single else "they are",
            "it runs": "it runs" if single else "they run",
            "it": "it" if single else "them",
            "its": "its" if single else "their",
        }
    )


def _listed(names: list[str]) -> str:
    if len(names) > MAX_NAMED:
        names = [*names[: MAX_NAMED - 1], f"{len(names) - MAX_NAMED + 1} more"]
    return ", ".join(names[:-1]) + " and " + names[-1]
