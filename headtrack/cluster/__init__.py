"""The only place that talks to Ray."""
