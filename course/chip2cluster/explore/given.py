"""What a reader brings along: a model and a chip, by name or of their own."""

from .. import specs, transformer

YOURS = "your model"


def a_model(given):
    """Name and shape of a model, from a published name or a `transformer.Config`."""
    if isinstance(given, transformer.Config):
        return YOURS, given
    if isinstance(given, str):
        found = transformer.model(given)
        return found.name, found.config
    raise TypeError(f"model must be the name of a published model or a transformer.Config, got {given!r}")


def a_chip(given):
    """An accelerator, from a name or as `specs.own` makes it."""
    if isinstance(given, specs.Accelerator):
        return given
    if isinstance(given, str):
        return specs.accelerator(given)
    raise TypeError(f"chip must be the name of an accelerator or a specs.Accelerator, got {given!r}")
