"""The values that flow: frozen, struct of arrays, checked once at construction."""

from headtrack.types.corrections import Correction
from headtrack.types.heads import BoxTrack, Detections, HeadBoxes, Heads
from headtrack.types.identity import IdentityTree, LookSpans, TrackGallery
from headtrack.types.remote import RemoteFile
from headtrack.types.result import Provenance, VideoFailure, VideoResult
from headtrack.types.shots import Shots
from headtrack.types.span import Entry, Span, SpanDone, SpanObservation
from headtrack.types.tracks import (
    EmbeddingBlocks,
    FaceEmbeddings,
    HeadEmbeddings,
    SeenTracklets,
    Tracklets,
    Tracks,
)
from headtrack.types.video import FrameBatch, Video

__all__ = [
    "BoxTrack",
    "Correction",
    "Detections",
    "EmbeddingBlocks",
    "Entry",
    "FaceEmbeddings",
    "FrameBatch",
    "HeadBoxes",
    "HeadEmbeddings",
    "Heads",
    "IdentityTree",
    "LookSpans",
    "Provenance",
    "RemoteFile",
    "SeenTracklets",
    "Shots",
    "Span",
    "SpanDone",
    "SpanObservation",
    "TrackGallery",
    "Tracklets",
    "Tracks",
    "Video",
    "VideoFailure",
    "VideoResult",
]
