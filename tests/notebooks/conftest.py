"""What tests of explorers share."""

import pytest

from chip2cluster.draw.pictures import links, scatter


@pytest.fixture
def unrendered(monkeypatch):
    """Keep matplotlib from making SVG of new pictures, which would take longer than the rest of a test."""
    caches = links._back, scatter._back
    for cache in caches:
        cache.cache_clear()
    for module in (links, scatter):
        monkeypatch.setattr(module, "inner_svg", lambda figure: "")
    yield
    for cache in caches:
        cache.cache_clear()
