from hypothesis import given
from hypothesis import strategies as st

from headtrack.settings import EmbedSettings
from headtrack.tracking.crop_choice import Candidate, CropChoice, offer

SETTINGS = EmbedSettings(best_crops=3, every_s=0.5)
OFFERS = st.lists(st.tuples(st.floats(0, 1), st.integers(0, 3)), min_size=1, max_size=40)


def choose(offers: list[tuple[float, int]], *, first: int = 0) -> CropChoice:
    choice = CropChoice()
    for row, (quality, view) in list(enumerate(offers))[first:]:
        choice = offer(choice, Candidate(row, quality, view), time_s=0.2 * row, settings=SETTINGS)
    return choice


@given(OFFERS)
def test_held_crops_are_bounded_and_spaced(offers):
    choice = choose(offers)
    assert len(choice.best) <= SETTINGS.best_crops
    stretches = [int(0.2 * c.row / 0.5 + 1e-6) for c in choice.sampled]
    assert stretches == list(range(len(stretches)))


@given(OFFERS, st.integers(0, 40))
def test_what_is_sampled_after_a_stretch_began_does_not_depend_on_what_came_before(offers, first):
    late = choose(offers, first=first)
    whole = {c.row for c in choose(offers).sampled}
    next_stretch = (int(0.2 * first / 0.5 + 1e-6) + 1) * 0.5
    assert {c.row for c in late.sampled if 0.2 * c.row >= next_stretch - 1e-6} == {
        row for row in whole if 0.2 * row >= next_stretch - 1e-6
    }


@given(OFFERS)
def test_the_best_crop_that_was_not_sampled_is_always_kept(offers):
    choice = choose(offers)
    sampled = {c.row for c in choice.sampled}
    rest = [(q, -row) for row, (q, _) in enumerate(offers) if row not in sampled]
    if rest:
        assert -max(rest)[1] in choice.rows


def test_a_poor_crop_of_a_rare_view_outlives_good_ones_of_a_common_view():
    choice = choose([(0.9, 0), (0.8, 0), (0.1, 3), (0.9, 0), (0.7, 0), (0.85, 0)])
    assert 3 in {c.view for c in choice.best}
