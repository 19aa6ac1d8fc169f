"""The chapter on economics, besides its page."""
