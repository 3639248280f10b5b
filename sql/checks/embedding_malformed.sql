-- name: embedding_malformed
-- Embeddings of another width than most, or not of unit length.
WITH embedding AS (
    SELECT video_id, tracklet, frame, 'identity' AS embedding, identity AS vector
    FROM crop_embedding
    WHERE identity IS NOT NULL
    UNION ALL
    SELECT video_id, tracklet, frame, 'appearance', appearance
    FROM crop_embedding
),
common AS (
    SELECT
        embedding,
        mode(len(vector)) AS width
    FROM embedding
    GROUP BY embedding
)
SELECT
    embedding.video_id,
    embedding.tracklet,
    embedding.frame,
    embedding.embedding,
    len(embedding.vector) AS width,
    sqrt(list_sum(list_transform(embedding.vector, lambda x: x * x))) AS length
FROM embedding
JOIN common USING (embedding)
WHERE len(embedding.vector) <> common.width
    OR NOT abs(sqrt(list_sum(list_transform(embedding.vector, lambda x: x * x))) - 1) < 0.01
ORDER BY ALL;
