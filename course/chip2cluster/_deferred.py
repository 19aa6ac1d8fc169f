"""Topics whose libraries are missing, as in a browser that cannot fetch NumPy."""

from importlib import import_module
from types import ModuleType


class DeferredModule(ModuleType):
    """Topic that is imported when a name of it is used; until then the missing library stops nothing."""

    def __getattr__(self, name: str) -> object:
        """Import the topic and return its name; the error for a missing library says which topic needs it."""
        if name.startswith("__"):  # asked by Python itself
            raise AttributeError(name)
        try:
            return getattr(import_module(self.__name__), name)
        except ModuleNotFoundError as problem:
            raise ModuleNotFoundError(
                f"{self.__name__} needs {problem.name}, which this Python does not have", name=problem.name
            ) from None
