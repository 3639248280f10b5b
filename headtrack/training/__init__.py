"""Learning from labelled data: reading it, splitting it, and fitting networks to it."""
