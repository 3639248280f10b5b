"""Networks behind the protocols, and where their files come from."""
