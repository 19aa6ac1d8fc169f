"""What the autograder knows of each learning platform (LMS): roster, download, export of grades, zip of feedback.

Each module describes one platform as a `Platform` in its variable ``PLATFORM``. A new module is enough for a new platform:
the choices of the command line, the messages that list them and the reading of files derive from `platforms`.
"""

from collections import Counter
from collections.abc import Iterable
from functools import lru_cache
from importlib import import_module
from pkgutil import iter_modules
from typing import Literal

from ..collect.download_files import DownloadFile
from . import folder
from .interface import Platform

__all__ = ["Platform", "detect_platform", "find_platform", "has_platform_name", "names_with", "platforms"]


def platforms() -> tuple[Platform, ...]:
    """All platforms by name, learning platforms first."""
    return _load_platforms(tuple(__path__))


@lru_cache
def _load_platforms(paths: tuple[str, ...]) -> tuple[Platform, ...]:
    modules = (import_module(f"{__name__}.{found.name}") for found in iter_modules(paths))
    found = [module.PLATFORM for module in modules if hasattr(module, "PLATFORM")]
    return tuple(sorted(found, key=lambda platform: (not platform.is_learning_platform, platform.name)))


def names_with(part: Literal["roster", "submissions", "worksheet", "export", "feedback_zip"]) -> list[str]:
    """Names of the platforms that support a part, such as "export".

    >>> names_with("submissions"), names_with("export")
    (['canvas', 'moodle', 'exchange', 'folder'], ['canvas', 'moodle'])
    """
    return [platform.name for platform in platforms() if getattr(platform, part) is not None]


def find_platform(name: str) -> Platform:
    """Look a platform up by its name.

    Raises
    ------
    ValueError
        If no platform has the name; the message lists those that exist.
    """
    for platform in platforms():
        if platform.name == name:
            return platform
    raise ValueError(f"no platform is called {name!r}; there are {', '.join(one.name for one in platforms())}")


def has_platform_name(file: DownloadFile) -> bool:
    """Whether a learning platform can have given a file its name, which says who handed it in."""
    patterns = [one.submissions.has_name_of for one in platforms() if one.submissions]
    return any(has_name(file) for has_name in patterns if has_name)


def detect_platform(files: Iterable[DownloadFile]) -> Platform:
    """Find the platform whose pattern most file names of a download follow; a plain folder if none does."""
    with_pattern = [
        (one.submissions.has_name_of, one)
        for one in sorted(platforms(), key=lambda one: not (one.submissions and one.submissions.fixed_text))
        if one.submissions and one.submissions.has_name_of
    ]
    counts = Counter(
        next((platform for has_name_of, platform in with_pattern if has_name_of(file)), folder.PLATFORM)
        for file in files
    )
    return max(counts, key=lambda platform: counts[platform], default=folder.PLATFORM)
