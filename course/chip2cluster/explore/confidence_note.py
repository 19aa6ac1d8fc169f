"""Sentence that explains why a figure of the catalogue has low confidence."""

from .. import specs


def doubt(chip: specs.Accelerator) -> str:
    """Say why a figure of low confidence is one: the chip is only announced, or its sources disagree.

    Parameters
    ----------
    chip : specs.Accelerator
        Chip whose figure it is.

    Returns
    -------
    str
        Clause without a full stop.

    Examples
    --------
    >>> from chip2cluster import specs
    >>> doubt(specs.accelerator("Rubin")), doubt(specs.accelerator("B300"))
    ('it is only announced', 'sources disagree, or assume something')
    """
    return "it is only announced" if chip.announced else "sources disagree, or assume something"
