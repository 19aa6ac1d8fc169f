"""The chapter on links, besides its page."""
