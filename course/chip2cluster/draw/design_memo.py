"""Design memo as a document: its sections as HTML, with the points and ranges as SVG, in a file that a browser prints."""

from __future__ import annotations

from dataclasses import dataclass, field
from html import escape
from pathlib import Path

from ..capstone.memo_parts import Memo, MemoPoints, MemoRanges, MemoSection, MemoTable, Part
from .memo_html import bars, page, scatter, table


@dataclass(frozen=True)
class MemoPage:
    """Drawn design memo; it prints on two A4 or letter pages.

    Attributes
    ----------
    title : str
        Title of the memo.
    html : str
        Complete document, without external files.
    """

    title: str
    html: str = field(repr=False)

    def _repr_html_(self) -> str:
        """Return the body for a notebook."""
        return (
            self.html[self.html.index("<style>") : self.html.index("</body>")]
            .replace("</head>", "")
            .replace("<body>", "")
        )

    def save(self, path: str | Path) -> Path:
        """Write the memo to a file that a browser prints.

        Parameters
        ----------
        path : str or Path
            Name of a new file, such as ``"design_memo.html"``.

        Returns
        -------
        Path
            Absolute path of the file.

        Raises
        ------
        FileExistsError
            A file of this name exists; choose another name.
        """
        target = Path(path).resolve()
        try:
            with target.open("x", encoding="utf-8") as file:
                file.write(self.html)
        except FileExistsError:
            raise FileExistsError(f"{target} exists and is kept: save the memo under another name") from None
        return target


def memo(content: Memo) -> MemoPage:
    """Draw a design memo of ``capstone.memo`` as a document to show, save and print.

    Parameters
    ----------
    content : Memo
        Content of the memo.

    Returns
    -------
    MemoPage
        Document; a notebook shows it, and ``save`` writes a file to print.

    Examples
    --------
    >>> from chip2cluster import capstone
    >>> scenario = capstone.Scenario(model="Llama 3 8B", tokens=1e12, global_batch=512, deadline_seconds=60 * 86400)
    >>> paper = memo(capstone.memo(capstone.Design(chip="H100 SXM", nodes=16, spares=1), scenario))
    >>> "What the model leaves out" in paper.html
    True
    """
    if not isinstance(content, Memo):
        raise TypeError(
            f"content must be a memo, as in draw.memo(capstone.memo(design, scenario)); got a {type(content).__name__}"
        )
    return MemoPage(
        content.title, page(content.title, ["".join(map(_section, sections)) for sections in content.pages])
    )


def _section(section: MemoSection) -> str:
    """Return a section as HTML, with its title as a heading."""
    head = f"<h2>{escape(section.title)}</h2>" if section.title else ""
    return head + "".join(map(_part, section.parts))


def _part(part: Part) -> str:
    """Return a part of a section as HTML or SVG."""
    if isinstance(part, str):
        return f"<p>{escape(part)}</p>"
    if isinstance(part, MemoTable):
        return table(part.header, part.rows)
    if isinstance(part, MemoPoints):
        return scatter(part.designs, part.chosen)
    if isinstance(part, MemoRanges):
        return bars(part.rows, part.expected)
    return f"<pre>{escape(part.text)}</pre>"
