-- What the documentation asks of a new database. Not for users.

-- name: describe_relations
-- Tables or views with their comments.
SELECT
    name,
    comment
FROM (
    SELECT
        'table' AS kind,
        table_name AS name,
        comment
    FROM duckdb_tables()
    WHERE NOT internal
    UNION ALL
    SELECT
        'view',
        view_name,
        comment
    FROM duckdb_views()
    WHERE NOT internal
)
WHERE kind = $kind
ORDER BY name;

-- name: describe_columns
-- Columns of one table or view with their comments.
SELECT
    column_name,
    data_type,
    comment
FROM duckdb_columns()
WHERE table_name = $name
    AND NOT internal
ORDER BY column_index;
