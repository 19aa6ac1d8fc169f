"""The chapter on design, besides its page."""
