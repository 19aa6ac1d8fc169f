"""The chapter on systolic, besides its page."""
