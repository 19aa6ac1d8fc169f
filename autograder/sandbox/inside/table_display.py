"""Display options of pandas in the sandbox: a person who marks the text about a table sees the whole table."""

import sys
from collections.abc import Sequence
from contextlib import suppress
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from types import ModuleType

OPTIONS = ("display.width", 1000, "display.max_columns", 40, "display.max_rows", 60)


class PandasOptions(MetaPathFinder):
    """First finder on ``sys.meta_path`` until pandas is imported; sets its options then and removes itself."""

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return the spec of pandas with a loader that sets the options; None for any other module."""
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
