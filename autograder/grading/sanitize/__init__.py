"""Sanitize untrusted text, notebooks and pictures, so that nothing in them runs, loads, misleads or exhausts memory."""
