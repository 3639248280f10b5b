-- How far a face shows whose it is: evidence from blurred and dark faces counts for less.

ALTER TABLE crop_embedding ADD COLUMN recognisability FLOAT;
COMMENT ON COLUMN crop_embedding.recognisability IS '0 to 1: how far the face shows whose it is; NULL where the crop has no usable face';
