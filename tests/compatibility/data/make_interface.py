"""Write what a checkout offers to the outside as JSON: ``python make_interface.py CHECKOUT TARGET``, after ``make.py``.

Command lines come from the parsers of argparse, names from the pages, and JSON keys from one run of each command.
"""

import ast
import contextlib
import importlib
import io
import json
import re
import shlex
import sys
from pathlib import Path

from make_import_paths import GUIDES, PACKAGES, import_paths

CHECKOUT, TARGET = (Path(argument).resolve() for argument in sys.argv[1:3])
sys.path[:0] = [str(CHECKOUT / "course"), str(CHECKOUT), str(Path(__file__).resolve().parents[3])]


def page_names():
    """Names that the cells of chapters and labs import, and attributes that they use of imported modules, by module."""
    found = {}
    files = [*CHECKOUT.glob("course/*.ipynb"), *CHECKOUT.glob("labs/*/*.ipynb"), *CHECKOUT.glob("solutions/*/*.ipynb")]
    for file in sorted(files):
        cells = json.loads(file.read_text(encoding="utf-8"))["cells"]
        source = "\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "code")
        source = "\n".join(line for line in source.splitlines() if not line.lstrip().startswith(("%", "!")))
        for module, name in _used(ast.parse(source)):
            found.setdefault(module, {}).setdefault(name, set()).add(file.relative_to(CHECKOUT).as_posix())
    return {
        module: {name: sorted(files) for name, files in sorted(names.items())}
        for module, names in sorted(found.items())
    }


def _used(tree):
    modules = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            modules |= {
                alias.asname or alias.name: alias.name for alias in node.names if alias.name.split(".")[0] in PACKAGES
            }
        if isinstance(node, ast.ImportFrom) and node.module and node.module.split(".")[0] in PACKAGES:
            for alias in node.names:
                yield node.module, alias.name
                if not hasattr(importlib.import_module(node.module), alias.name):
                    importlib.import_module(f"{node.module}.{alias.name}")
                if f"{node.module}.{alias.name}" in sys.modules:
                    modules[alias.asname or alias.name] = f"{node.module}.{alias.name}"
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in modules:
            yield modules[node.value.id], node.attr


def guide_commands():
    """Lines of the guides that call ``autograder`` or ``chip2cluster``, as words of a shell."""
    found = {}
    for pattern in GUIDES:
        for file in sorted(CHECKOUT.glob(pattern)):
            text = file.read_text(encoding="utf-8").replace("\\\n", " ")
            for block in re.findall(r"^```(?:sh|bash|bat)\n(.*?)^```", text, re.M | re.S):
                for line in block.splitlines():
                    words = line.split("#")[0].strip()
                    if re.match(r"(autograder|chip2cluster) ", words) and "…" not in words and "|" not in words:
                        found.setdefault(
                            " ".join(shlex.split(words)) if "'" not in words and '"' not in words else words,
                            file.relative_to(CHECKOUT).as_posix(),
                        )
    return found


def json_keys():
    """Keys of what each command of ``chip2cluster`` prints as JSON for the example of its help, and the example."""
    from chip2cluster.shell import command, main

    found = {}
    for name in command.COMMANDS:
        example = command._module(name).EXAMPLE
        said = io.StringIO()
        with contextlib.redirect_stdout(said):
            code = main([*shlex.split(example), "--json"])
        answer = json.loads(said.getvalue())
        found[name] = {
            "example": example,
            "exit_code": code,
            "keys": sorted(answer),
            "number_keys": sorted(answer["numbers"][0]),
            "numbers": [one["name"] for one in answer["numbers"]],
            "assumption_keys": sorted(answer["assumptions"][0]),
            "assumptions": [one["name"] for one in answer["assumptions"]],
        }
    return found


def write(name, data):
    (TARGET / name).write_text(json.dumps(data, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def main():
    from autograder import __main__ as autograder
    from chip2cluster import shell
    from tests.compatibility import interface

    found = [sys.modules[name].__file__ for name in PACKAGES]
    if not all(Path(file).is_relative_to(CHECKOUT) for file in found):
        sys.exit(f"the packages are not those of {CHECKOUT}: {found}")
    TARGET.mkdir(parents=True, exist_ok=True)
    write("page_names.json", page_names())
    write("import_paths.json", import_paths(CHECKOUT, TARGET))
    write("guide_commands.json", guide_commands())
    write("json_keys.json", json_keys())
    parsers = {
        "autograder": interface.commands(interface.parser_of(autograder.main, ["start"])),
        "chip2cluster": interface.commands(interface.parser_of(shell.main, ["plan"])),
    }
    write("command_line.json", parsers)


if __name__ == "__main__":
    main()
