"""Predictors, one file per kind, named like its file of measurements.

Each has ``predict(row, fitted)``, which gives the prediction for one row in the SI base
unit of the kind by calling the course's public models. A kind whose predictions need
numbers that were read off measurements has ``fit(rows)`` as well, which is given the
rows marked so and nothing else.
"""
