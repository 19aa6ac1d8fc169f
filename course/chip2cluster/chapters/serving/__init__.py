"""The chapter on serving, besides its page."""
