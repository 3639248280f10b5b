"""headtrack: who is on screen, when, and in which look.

The pipeline reads top to bottom in `headtrack.pipeline.analyze`.
"""

__version__ = "0.1.0"
