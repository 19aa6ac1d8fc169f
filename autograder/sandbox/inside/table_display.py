"""How pandas shows a table in a box: whoever marks the text about it sees all of it, not its corners."""

import sys
from collections.abc import Sequence
from contextlib import suppress
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from types import ModuleType

OPTIONS = ("display.width", 1000, "display.max_columns", 40, "display.max_rows", 60)


class WholeTables(MetaPathFinder):
    """Comes first on ``sys.meta_path`` until pandas is imported, by the page or by a student, and then sets it up."""

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if name != "pandas":
            return None
        sys.meta_path.remove(self)
        spec = find_spec(name)
        if spec is None or spec.loader is None:
            return spec
        load = spec.loader.exec_module

        def set_up(module: ModuleType) -> None:
            load(module)
            # A student's own file may have this name.
            with suppress(Exception):
                module.set_option(*OPTIONS)

        spec.loader.exec_module = set_up  # type: ignore[method-assign]
        return spec
