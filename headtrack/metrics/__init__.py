"""Figures of merit: arrays in, numbers out."""
