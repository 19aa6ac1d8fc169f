"""Model of a reader: a published one by name, or a custom shape."""

from .. import transformer

YOURS = "your model"


def named_config(model: str | transformer.Config) -> tuple[str, transformer.Config]:
    """Return the name and the shape of a model, from a published name or a `transformer.Config`."""
    if isinstance(model, transformer.Config):
        return YOURS, model
    if isinstance(model, str):
        found = transformer.model(model)
        return found.name, found.config
    raise TypeError(f"model must be the name of a published model or a transformer.Config, got {model!r}")
