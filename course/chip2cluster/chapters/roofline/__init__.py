"""The chapter on roofline, besides its page."""
