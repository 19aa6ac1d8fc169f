"""Lectures: every chapter's own cells as slides, with notes for who speaks.

A cell comes in by its metadata, ``"slideshow": {"slide_type": …}``, the field that JupyterLab's property inspector
writes: ``slide`` starts a new column, ``subslide`` stands below it, ``notes`` goes to the speaker, and a cell that says
nothing stays out. What an audience reads is in ``"slide": {"title": …, "text": …}`` beside it; prose goes to the notes.
"""
