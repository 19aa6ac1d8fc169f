"""The chapter on scheduling, besides its page."""
