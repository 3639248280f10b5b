"""Where shots begin: cheap candidates, then a judge."""
