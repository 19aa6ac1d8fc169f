"""Script and style of the live view, each made of the files that lie here.

A widget and a slide take one module and one sheet, so the parts are put together as text: every part is a module on its
own, and ``explorer.js`` imports the others.
"""

import re
from pathlib import Path

_HERE = Path(__file__).parent
PARTS = "handle.js", "links.js", "list.js", "machine.js", "play.js", "sweep.js"
SHEETS = "scale.css", "explorer.css", "touch.css"
_IMPORT = re.compile(r'^import .* from "\./.*";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:function|const) (\w+))", re.MULTILINE)


def _read(name: str) -> str:
    return (_HERE / name).read_text(encoding="utf-8")


def _enclosed(part: str) -> str:
    """Return a module as a statement that defines what it exports; its other names stay inside."""
    names = ", ".join(_EXPORT.findall(part))
    return f"const {{ {names} }} = (() => {{\n{_EXPORT.sub('', part)}return {{ {names} }};\n}})();\n"


SCRIPT = "".join(_enclosed(_read(name)) for name in PARTS) + _IMPORT.sub("", _read("explorer.js"))
STYLE = "\n".join(map(_read, SHEETS))


def write(folder: Path) -> None:
    """Write ``explorer.js`` and ``explorer.css`` for a site into a folder."""
    (folder / "explorer.js").write_text(SCRIPT, encoding="utf-8")
    write_style(folder)


def write_style(folder: Path) -> None:
    """Write ``explorer.css`` into a folder."""
    (folder / "explorer.css").write_text(STYLE, encoding="utf-8")
