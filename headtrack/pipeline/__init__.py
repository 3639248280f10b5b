"""The main job; read analyze.py first."""
