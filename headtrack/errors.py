"""Every failure a user can meet, each with the exit code the command line gives for it.

All arguments are positional and passed to `super().__init__`, so that each class
survives pickling across processes. Only `headtrack.cli` turns them into a message
and an exit code.
"""

from __future__ import annotations


class HeadtrackError(Exception):
    """A failure with a remedy: what happened, the value got, what to do."""

    exit_code = 1


class SettingsError(HeadtrackError):
    """An unknown or malformed setting, option or argument."""

    exit_code = 2


class VideoError(HeadtrackError):
    """A video cannot be found, opened or decoded; or every video of a run failed."""

    exit_code = 3


class ModelError(HeadtrackError):
    """A model is unknown, missing, altered, or its embeddings do not fit the database."""

    exit_code = 4


class StoreError(HeadtrackError):
    """The database is locked, foreign, of another schema, or cannot be written."""

    exit_code = 5


class StoreLockedError(StoreError):
    """Another process holds the database."""


class DatasetError(HeadtrackError):
    """A manifest, label file or data folder is not what was expected."""

    exit_code = 6


class PartialRunError(HeadtrackError):
    """Some videos failed; the results of the others are kept."""

    exit_code = 7
