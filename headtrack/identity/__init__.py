"""Tracks of all videos become people, and people's looks."""
