"""Pure array helpers that several algorithms share."""
