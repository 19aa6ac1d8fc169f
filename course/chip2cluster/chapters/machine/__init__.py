"""The chapter on machine, besides its page."""
