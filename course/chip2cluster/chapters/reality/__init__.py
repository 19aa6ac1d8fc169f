"""The chapter on reality, besides its page."""
