"""Heads of one shot become tracklets."""
