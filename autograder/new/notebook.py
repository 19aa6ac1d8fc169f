"""Cells put into a notebook; what is there stays as it is, to the letter."""

import json


def with_cells(text: str, cells: list[dict], behind: str) -> str:
    """The text of a notebook with further cells: behind its last check, else behind the cell called ``behind``.

    ``@place`` in the new cells becomes the number of checks that the page has then.

    Raises
    ------
    ValueError
        Where a cell of the same name is there already.
    """
    notebook = json.loads(text)
    there = notebook["cells"]
    names = [cell["id"] for cell in there]
    if twice := {cell["id"] for cell in cells} & set(names):
        raise ValueError(f"the page has a cell called {min(twice)!r} already, so nothing was written")
    checks = [place for place, cell in enumerate(there) if "".join(cell["source"]).startswith("check(")]
    place = 1 + (checks[-1] if checks else names.index(behind) if behind in names else len(there) - 1)
    number = str(len(checks) + 1)
    for cell in cells:
        cell["source"] = [line.replace("@place", number) for line in cell["source"]]
    notebook["cells"] = [*there[:place], *cells, *there[place:]]
    return json.dumps(notebook, indent=1, ensure_ascii=False) + "\n"
