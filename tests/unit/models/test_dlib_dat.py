import pytest

from headtrack.errors import ModelError
from headtrack.models.dlib_dat import read_face_resnet, read_shape_predictor


@pytest.mark.parametrize("read", [read_face_resnet, read_shape_predictor])
@pytest.mark.parametrize("content", [b"", b"\x01", b"not a model at all", bytes(range(256))])
def test_a_file_of_another_format_is_refused_by_name(read, content, tmp_path):
    path = tmp_path / "model.dat"
    path.write_bytes(content)
    with pytest.raises(ModelError, match=r"model\.dat is not dlib's"):
        read(path)
