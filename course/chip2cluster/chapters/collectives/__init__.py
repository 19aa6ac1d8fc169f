"""The chapter on collectives, besides its page."""
