import pytest

from headtrack.errors import SettingsError
from headtrack.settings import Settings, setting_rows, video_settings_hash
from headtrack.settings_file import load_settings


def test_a_file_and_then_overrides_apply(tmp_path):
    file = tmp_path / "mine.toml"
    file.write_text("[detect]\nfps = 2\nimage_px = 960\n")
    settings = load_settings(file, ["detect.fps=3.5"])
    assert (settings.detect.fps, settings.detect.image_px) == (3.5, 960)


def test_the_working_folder_s_file_is_taken_when_none_is_named(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert load_settings(None, []) == Settings()
    (tmp_path / "headtrack.toml").write_text("[link]\nmax_gap_s = 4\n")
    assert load_settings(None, []).link.max_gap_s == 4.0


@pytest.mark.parametrize(
    ("override", "says"),
    [
        ("detect.fsp=3", "detect.fps"),
        ("nonsense", "section.key=value"),
        ("nonsense.key=1", "headtrack settings"),
        ("detect.fps=fast", "takes float"),
        ("detect.image_px=640.5", "takes int"),
        ("detect.min_score=1.5", "0.0 to 1.0"),
        ("decode.backend=vlc", "auto | decord | pyav"),
        ("detect.fps=nan", "finite"),
        ("detect.fps=1e400", "finite"),
        ("run.workers=1025", "1 to 1024"),
        ("run.threads=1025", "0 to 1024"),
    ],
)
def test_a_bad_setting_is_named_with_what_is_allowed(override, says):
    with pytest.raises(SettingsError) as error:
        load_settings(None, [override])
    assert says in str(error.value)


@pytest.mark.parametrize(
    "text", ["not toml [", "fps = 3", "[detect]\nspeed = 1", "[detect]\nfps = true", "[detect]\nfps = []"]
)
def test_a_bad_file_is_named(tmp_path, text):
    file = tmp_path / "bad.toml"
    file.write_text(text)
    with pytest.raises(SettingsError, match=r"bad\.toml"):
        load_settings(file, [])


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(SettingsError, match=r"none\.toml"):
        load_settings(tmp_path / "none.toml", [])


def test_a_folder_in_the_place_of_a_file_is_named_as_one(tmp_path):
    with pytest.raises(SettingsError, match="is a folder"):
        load_settings(tmp_path, [])


def test_only_settings_that_change_a_video_s_result_change_its_hash():
    base = video_settings_hash(Settings())
    assert video_settings_hash(load_settings(None, ["identity.min_probability=0.9", "run.threads=2"])) == base
    assert video_settings_hash(load_settings(None, ["detect.fps=9"])) != base


def test_every_setting_has_a_meaning():
    assert all(len(row.doc) > 10 for row in setting_rows(Settings()))
