-- Who was erased on request leaves a receipt, and salted places at which later runs keep nothing.

CREATE TABLE forgotten (
    receipt          INTEGER NOT NULL,
    forgotten_at     TIMESTAMP NOT NULL,
    version          VARCHAR NOT NULL,
    videos           INTEGER NOT NULL,
    tracks           INTEGER NOT NULL,
    heads            INTEGER NOT NULL,
    crops            INTEGER NOT NULL,
    places           INTEGER NOT NULL,
    salt             BLOB NOT NULL,
    digest           VARCHAR NOT NULL
);
COMMENT ON TABLE forgotten IS 'One receipt a person erased by `headtrack forget`: counts and salted hashes; no embedding, box, name or id.';
COMMENT ON COLUMN forgotten.receipt IS 'from 1';
COMMENT ON COLUMN forgotten.forgotten_at IS 'when, UTC';
COMMENT ON COLUMN forgotten.version IS 'version of headtrack that erased';
COMMENT ON COLUMN forgotten.videos IS 'contents the person was seen in';
COMMENT ON COLUMN forgotten.tracks IS 'tracks erased';
COMMENT ON COLUMN forgotten.heads IS 'head boxes erased, detected, interpolated or loose';
COMMENT ON COLUMN forgotten.crops IS 'embedded crops erased';
COMMENT ON COLUMN forgotten.places IS 'salted places kept, so that a later run brings nobody back';
COMMENT ON COLUMN forgotten.salt IS 'random, of this receipt alone';
COMMENT ON COLUMN forgotten.digest IS 'HMAC-SHA-256 of the erased id under the salt: who still knows the id can show that it was erased';

CREATE TABLE forgotten_place (
    receipt          INTEGER NOT NULL,
    video_id         VARCHAR NOT NULL,
    place            UBIGINT NOT NULL
);
COMMENT ON TABLE forgotten_place IS 'Where erased people were: at these places of these contents nothing is stored any more.';
COMMENT ON COLUMN forgotten_place.receipt IS 'of forgotten';
COMMENT ON COLUMN forgotten_place.video_id IS 'of the content, which may be gone';
COMMENT ON COLUMN forgotten_place.place IS 'first 64 bits of the HMAC-SHA-256, under the salt, of content, fifth of a second, size and place of a head on a coarse grid';
