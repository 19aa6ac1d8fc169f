"""Script and style of the live view, each made of the files that lie here.

A widget and a slide take one module and one sheet, so the parts are put together as text: every part is a module on its
own, and ``explorer.js`` imports the others.
"""

import re
from pathlib import Path

_HERE = Path(__file__).parent
PARTS = "handle.js", "play.js", "explorer.js"
SHEETS = "explorer.css", "touch.css"
_IMPORT = re.compile(r'^import .* from "\./.*";\n', re.MULTILINE)


def _joined(names: tuple[str, ...]) -> str:
    return "\n".join((_HERE / name).read_text(encoding="utf-8") for name in names)


SCRIPT = _IMPORT.sub("", _joined(PARTS))  # what a part imports lies above it
STYLE = _joined(SHEETS)


def write(folder: Path) -> None:
    """Write ``explorer.js`` and ``explorer.css`` for a site into a folder."""
    (folder / "explorer.js").write_text(SCRIPT, encoding="utf-8")
    write_style(folder)


def write_style(folder: Path) -> None:
    """Write ``explorer.css`` into a folder."""
    (folder / "explorer.css").write_text(STYLE, encoding="utf-8")
