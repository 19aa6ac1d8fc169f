"""The chapter on storage, besides its page."""
