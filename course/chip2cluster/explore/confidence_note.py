"""Why a figure of the catalogue is of low confidence, in words."""

SOLD = 2025  # of what was launched later, the catalogue knows announcements only


def doubt(year):
    """Say why a figure of low confidence is one: its chip is only announced, or `provenance.Source` says what else.

    Parameters
    ----------
    year : int or None
        Year of the launch.

    Returns
    -------
    str
        Without a full stop.

    Examples
    --------
    >>> doubt(2026), doubt(2024)
    ('it is only announced', 'sources disagree, or assume something')
    """
    announced = year is not None and year > SOLD
    return "it is only announced" if announced else "sources disagree, or assume something"
