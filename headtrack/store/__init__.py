"""The only place that talks to DuckDB."""
