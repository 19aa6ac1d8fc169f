"""The chapter on measure, besides its page."""
