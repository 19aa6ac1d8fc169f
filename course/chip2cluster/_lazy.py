"""Packages whose names load when first asked for.

A page that shows one explorer should not wait for all of them, and a browser that
has no NumPy can still show one that needs none.
"""

import sys
from importlib import import_module
from types import ModuleType


class Lazy(ModuleType):
    """A package that finds its public names in its submodules, each when first asked for.

    A submodule and a function may share a name, as ``draw.ladder`` does. The
    package shows the function, whichever was imported first.
    """

    def __getattr__(self, name):
        home = self._homes.get(name)
        if home is None:
            raise AttributeError(
                f"module {self.__name__!r} has no attribute {name!r}; it has {', '.join(self.__all__)}"
            )
        found = getattr(import_module(f"{self.__name__}.{home}"), name)
        self.__dict__[name] = found
        return found

    def __setattr__(self, name, value):
        if isinstance(value, ModuleType) and name in self.__all__:
            return  # the import of a submodule, which would push the function of its name aside
        super().__setattr__(name, value)

    def __dir__(self):
        return sorted({*self.__dict__, *self.__all__})


def lazy(package, homes, own=()):
    """Make ``package`` lazy.

    ``homes`` maps submodules to the names that they give, ``own`` are those that the
    package has itself.
    """
    module = sys.modules[package]
    module._homes = {name: home for home, names in homes.items() for name in names.split()}
    module.__all__ = sorted([*module._homes, *own])
    module.__class__ = Lazy
