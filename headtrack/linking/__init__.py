"""Tracklets of one video become tracks."""
