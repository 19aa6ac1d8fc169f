"""Why a figure of the catalogue is of low confidence, in words."""

SOLD = 2025  # of what was launched later, the catalogue knows announcements only


def doubt(source, year):
    """Say why a figure of low confidence is one: of what is only announced that, else what its source notes.

    Parameters
    ----------
    source : provenance.Source
        Of the figure.
    year : int or None
        Of the launch.

    Returns
    -------
    str
        Without a full stop.

    Examples
    --------
    >>> from chip2cluster import specs
    >>> doubt(specs.accelerator("B300").source("peak_flops_dense", "fp4"), 2025)
    'printed as 12.6, 13.1, 13.5 and 15 PFLOP/s'
    """
    if year is not None and year > SOLD:
        return "it is only announced"
    return source.note or "no data sheet of its maker prints it"
