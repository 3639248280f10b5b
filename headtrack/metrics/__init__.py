"""Scores: one metric a file, arrays in, frozen numbers out."""
