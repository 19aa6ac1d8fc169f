"""Classification of modules: models, or private modules that define exercises.

Students may read and call every model. The subpackages in `PRIVATE` hold the exercises with their answers, so the
sandbox has no copy of them and `reveal` does not show their source.
"""

# Either of them may be missing.
PRIVATE = ("chapters", "exercise")


def is_model(module: str) -> bool:
    """Return whether a full name is that of this package or of one of its models.

    >>> is_model("chip2cluster.roofline.bounds"), is_model("chip2cluster.chapters.roofline"), is_model("chip2clusterx")
    (True, False, False)
    """
    package, subpackage, *_ = *module.split("."), ""
    return package == __package__ and subpackage not in PRIVATE


def is_private(module: str) -> bool:
    """Return whether a full name is that of a module that defines exercises.

    >>> is_private("chip2cluster.chapters.roofline"), is_private("chip2cluster.roofline")
    (True, False)
    """
    package, subpackage, *_ = *module.split("."), ""
    return package == __package__ and subpackage in PRIVATE
