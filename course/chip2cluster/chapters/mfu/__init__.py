"""The chapter on mfu, besides its page."""
