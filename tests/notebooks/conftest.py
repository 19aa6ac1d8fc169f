"""What tests of explorers share."""

import pytest

from chip2cluster.draw.pictures import links, roofline, scatter


@pytest.fixture
def unrendered(monkeypatch):
    """Whatever is drawn now, matplotlib does not make an SVG of it, which would take longer than all the rest."""
    drawn = links, roofline, scatter
    for picture in drawn:
        picture._back.cache_clear()
        monkeypatch.setattr(picture, "inner_svg", lambda figure: "")
    yield
    for picture in drawn:
        picture._back.cache_clear()
