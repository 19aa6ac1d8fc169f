"""The chapter on accelerators, besides its page."""
