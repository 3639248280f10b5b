-- name: correction_malformed
-- Corrections that occur twice, are of no known kind or speak of nobody, and anchors that belong to none
-- or have no area.
SELECT 'twice' AS fault, number
FROM correction GROUP BY number HAVING count(*) > 1
UNION ALL
SELECT 'unknown kind', number
FROM correction WHERE kind NOT IN ('merge', 'split', 'assign', 'reject', 'name')
UNION ALL
SELECT 'name of another kind', number
FROM correction WHERE name IS NOT NULL AND kind <> 'name'
UNION ALL
SELECT 'speaks of nobody', number
FROM correction
ANTI JOIN correction_anchor
    ON correction_anchor.correction = correction.number
    AND correction_anchor.side = 'a'
UNION ALL
SELECT 'anchor of no correction', correction
FROM correction_anchor ANTI JOIN correction ON correction.number = correction_anchor.correction
UNION ALL
SELECT 'unknown side', correction
FROM correction_anchor WHERE side NOT IN ('a', 'b', 'c')
UNION ALL
SELECT 'box without area', correction
FROM correction_anchor WHERE NOT (x2 > x1 AND y2 > y1)
ORDER BY ALL;
