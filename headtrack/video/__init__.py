"""Files become frames and crops."""
