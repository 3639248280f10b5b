-- Writes a database anew without the pages that deleted rows leave behind. Not for users.

-- name: allow_paths
SET allowed_paths = $paths;

-- name: allow_folders
SET allowed_directories = $folders;

-- name: set_temp_folder
SET temp_directory = $folder;

-- name: close_to_files
SET enable_external_access = false;

-- name: lock_settings
SET lock_configuration = true;

-- name: attach_old
ATTACH $path AS old (READ_ONLY);

-- name: attach_changed
ATTACH $path AS changed;

-- name: attach_fresh
ATTACH $path AS fresh;

-- name: copy_to_changed
COPY FROM DATABASE old TO changed;

-- name: use_changed
USE changed;

-- name: checkpoint_changed
CHECKPOINT changed;

-- name: copy_to_fresh
COPY FROM DATABASE changed TO fresh;

-- name: use_memory
USE memory;

-- name: detach_changed
DETACH changed;

-- name: detach_fresh
DETACH fresh;

-- name: checkpoint
CHECKPOINT;

-- name: schema_of
-- Everything that is defined in one of the attached databases, comments and constraints included.
SELECT
    *
FROM (
    SELECT
        'table' AS kind,
        schema_name || '.' || table_name AS name,
        sql,
        comment
    FROM duckdb_tables()
    WHERE database_name = $database
    UNION ALL
    SELECT
        'view',
        schema_name || '.' || view_name,
        sql,
        comment
    FROM duckdb_views()
    WHERE database_name = $database
        AND NOT internal
    UNION ALL
    SELECT
        'column',
        schema_name || '.' || table_name || '.' || column_name,
        data_type,
        comment
    FROM duckdb_columns()
    WHERE database_name = $database
        AND NOT internal
    UNION ALL
    SELECT
        'index',
        schema_name || '.' || index_name,
        sql,
        comment
    FROM duckdb_indexes()
    WHERE database_name = $database
    UNION ALL
    SELECT
        'macro',
        schema_name || '.' || function_name,
        macro_definition,
        comment
    FROM duckdb_functions()
    WHERE database_name = $database
        AND NOT internal
    UNION ALL
    SELECT
        'sequence',
        schema_name || '.' || sequence_name,
        start_value || ' ' || increment_by,
        comment
    FROM duckdb_sequences()
    WHERE database_name = $database
)
ORDER BY ALL;

-- name: tables_of
SELECT
    schema_name,
    table_name
FROM duckdb_tables()
WHERE database_name = $database
ORDER BY ALL;

-- name: row_count
SELECT
    count(*)
FROM query_table($table);
