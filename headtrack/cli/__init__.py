"""One file a subcommand: parse, call one function, print."""
