-- What the store asks of its own ledger. Not for users.

-- name: create_ledger
-- Which migrations this database has seen.
CREATE TABLE IF NOT EXISTS headtrack_migration (
    number           INTEGER NOT NULL,
    name             VARCHAR NOT NULL,
    sha256           VARCHAR NOT NULL,
    applied_at       TIMESTAMP NOT NULL,
    version          VARCHAR NOT NULL
);
COMMENT ON TABLE headtrack_migration IS 'Which schema files this database has seen; number 0 stands for the views.';
COMMENT ON COLUMN headtrack_migration.number IS 'of the file; 0 stands for all view files';
COMMENT ON COLUMN headtrack_migration.name IS 'of the file, without number and ending';
COMMENT ON COLUMN headtrack_migration.sha256 IS 'of the file''s bytes';
COMMENT ON COLUMN headtrack_migration.applied_at IS 'when, UTC';
COMMENT ON COLUMN headtrack_migration.version IS 'version of headtrack that applied it';

-- name: user_objects
-- Every table and view of the opened database, to tell headtrack's from another's.
SELECT
    table_name
FROM information_schema.tables
WHERE table_catalog = current_database()
ORDER BY ALL;

-- name: ledger
-- What was applied, in order.
SELECT
    number,
    name,
    sha256,
    version
FROM headtrack_migration
ORDER BY number;

-- name: forget_entry
DELETE FROM headtrack_migration
WHERE number = $number;

-- name: add_entry
INSERT INTO headtrack_migration
VALUES ($number, $name, $sha256, $at, $version);
