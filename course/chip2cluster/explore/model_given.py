"""A model that a reader brings along: a published one by name, or a shape of one's own."""

from .. import transformer

YOURS = "your model"


def a_model(given):
    """Name and shape of a model, from a published name or a `transformer.Config`."""
    if isinstance(given, transformer.Config):
        return YOURS, given
    if isinstance(given, str):
        found = transformer.model(given)
        return found.name, found.config
    raise TypeError(f"model must be the name of a published model or a transformer.Config, got {given!r}")
