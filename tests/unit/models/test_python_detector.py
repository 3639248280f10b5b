from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from headtrack.errors import ModelError
from headtrack.models.detector_file import detector_file
from headtrack.models.python_detector import PythonDetector
from headtrack.settings import DetectSettings
from headtrack.types import FrameBatch, Heads

IMPORTS = "import numpy as np\nfrom headtrack.types import Heads\n"
HEADS_AT = """
class Detector:
    model_ids = ("by-hand@1",)

    def detect(self, batch):
        frame = {frame}
        n = len(frame)
        x = np.array({left}, float)[:n]
        xyxy = np.stack([x, x, x + 20, x + 20], axis=1)
        nan = np.full((n, 14), np.nan)
        return Heads(frame, xyxy, np.ones(n), np.zeros(n), nan[:, 0], nan[:, 0], nan[:, :4],
                     nan[:, 4:].reshape(n, 5, 2), nan[:, :4])

def make_detector(settings, *, device, threads):
    return Detector()
"""


def load(folder: Path, code: str) -> PythonDetector:
    path = folder / "my_detector.py"
    path.write_text(IMPORTS + code)
    settings = DetectSettings(detector=str(path))
    file = detector_file(settings)
    assert file is not None
    return PythonDetector(file, settings, device="cpu", threads=1)


def detect(folder: Path, frame: str = "[7, 7]", left: str = "[3, 40]") -> Heads:
    batch = FrameBatch(np.zeros((2, 90, 90, 3), np.uint8), [7, 8], [0.0, 0.1])
    return load(folder, HEADS_AT.format(frame=frame, left=left)).detect(batch)


def test_what_the_users_file_finds_is_given_as_it_is(tmp_path):
    heads = detect(tmp_path)
    assert heads.frame.tolist() == [7, 7]
    assert heads.xyxy[:, 0].tolist() == [3, 40]


def test_the_files_content_is_its_name_in_the_database(tmp_path):
    code = HEADS_AT.format(frame="[]", left="[]")
    first, again = load(tmp_path, code), load(tmp_path, code)
    other = load(tmp_path, code + "# changed\n")
    assert first.model_ids == again.model_ids != other.model_ids
    assert first.model_ids[0].startswith("my_detector@")


def test_the_file_is_given_settings_device_and_threads(tmp_path):
    code = (
        "class Detector:\n    def detect(self, batch): raise NotImplementedError\n"
        "def make_detector(settings, *, device, threads):\n"
        "    made = Detector()\n"
        "    made.model_ids = (f'{settings.image_px} {device} {threads}@1',)\n"
        "    return made\n"
    )
    assert load(tmp_path, code)._detector.model_ids == ("640 cpu 1@1",)


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("x = 1", r"has no function make_detector\(settings, \*, device, threads\)"),
        ("make_detector = 3", "has no function make_detector"),
        ("def make_detector(:", "cannot be imported: SyntaxError"),
        ("import no_such_module", "cannot be imported: ModuleNotFoundError"),
        ("raise SystemExit(0)", "cannot be imported: SystemExit"),
        ("def make_detector(settings): pass", "failed: TypeError"),
        (
            "def make_detector(s, *, device, threads): raise OSError('no weights')",
            "failed: OSError: no weights",
        ),
        ("def make_detector(s, *, device, threads): pass", "gave a NoneType; it must give an object with"),
        ("def make_detector(s, *, device, threads): return {'detect': 1}", "gave a dict"),
    ],
)
def test_a_file_that_makes_no_detector_is_named_with_what_is_wrong(tmp_path, code, words):
    with pytest.raises(ModelError, match=words) as raised:
        load(tmp_path, code)
    assert "my_detector.py" in str(raised.value)


@pytest.mark.parametrize(
    ("frame", "left", "words"),
    [
        ("[7, 9]", "[3, 40]", "frame 9"),
        ("[8, 7]", "[3, 40]", "not sorted"),
        ("[7, 7]", "[40, 3]", "not sorted"),
        ("[7]", "[float('nan')]", "not finite"),
        ("[7]", "[80]", "leaves the frame of 90 x 90"),
        ("[7]", "[-9]", "leaves the frame"),
    ],
)
def test_an_answer_that_breaks_the_protocol_is_refused(tmp_path, frame, left, words):
    with pytest.raises(ModelError, match=words):
        detect(tmp_path, frame, left)


def test_an_answer_that_is_no_heads_is_refused(tmp_path):
    made = load(
        tmp_path,
        "class D:\n    model_ids = ()\n    def detect(self, batch): return []\n"
        "def make_detector(s, *, device, threads): return D()\n",
    )
    with pytest.raises(ModelError, match=r"`detect` of detector .*my_detector\.py gave a list"):
        made.detect(FrameBatch(np.zeros((0, 9, 9, 3), np.uint8), [], []))


@pytest.mark.parametrize("score", ["-0.5", "55", "float('nan')"])
def test_a_score_that_is_no_probability_is_refused(tmp_path, score):
    made = load(
        tmp_path, HEADS_AT.format(frame="[7]", left="[3]").replace("np.ones(n)", f"np.full(n, {score})")
    )
    with pytest.raises(ModelError, match="score that is not within 0 to 1"):
        made.detect(FrameBatch(np.zeros((1, 90, 90, 3), np.uint8), [7], [0.0]))


@pytest.mark.parametrize("fault", ["raise ValueError('boom')", "raise SystemExit(0)", "return None.xyxy"])
def test_a_detector_that_fails_is_named_with_the_line(tmp_path, fault):
    made = load(
        tmp_path,
        f"class D:\n    model_ids = ()\n    def detect(self, batch): {fault}\n"
        "def make_detector(s, *, device, threads): return D()\n",
    )
    with pytest.raises(ModelError, match=r"`detect` of detector .*my_detector\.py failed in line 5: "):
        made.detect(FrameBatch(np.zeros((1, 9, 9, 3), np.uint8), [0], [0.0]))
