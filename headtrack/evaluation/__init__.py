"""The main job measured on labelled footage."""
