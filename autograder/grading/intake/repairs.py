"""Sentences that tell a student and an instructor which cells were repaired."""

from .cell_matching import ReleasedCell

MAX_NAMED = 6  # cells in one sentence


class Repairs:
    """Repairs of one submission, with one sentence for all cells of a kind."""

    def __init__(self) -> None:
        self._slots: dict[str, list[ReleasedCell]] = {}

    def add(self, template: str, slot: ReleasedCell | None = None) -> None:
        """Add a repair.

        Parameters
        ----------
        template : str
            Sentence with ``{Cells}`` or ``{cells}`` for "the cell `x`", and with words that agree in
            number: ``{it was}``, ``{it is}``, ``{it runs}``, ``{it}`` and ``{its}``.
        slot : ReleasedCell, optional
            The repaired cell; None if the repair concerns the notebook.
        """
        slots = self._slots.setdefault(template, [])
        if slot and slot not in slots:
            slots.append(slot)

    def sentences(self) -> tuple[str, ...]:
        """Return one sentence for each kind of repair."""
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
