import threading

import pytest

from headtrack.models.lanes import MOST_LANES, Lanes


def test_passes_go_on_at_once_and_results_keep_their_order():
    both_there = threading.Barrier(2, timeout=30)

    def work(number: int) -> int:
        both_there.wait()
        return number

    lanes = Lanes(2)
    waiting = [lanes.start(work, number) for number in (1, 2, 3, 4)]
    assert [result() for result in waiting] == [1, 2, 3, 4]


def test_one_lane_works_when_it_is_asked_and_in_the_thread_that_asks():
    done = []
    result = Lanes(1).start(lambda: done.append(threading.current_thread()))
    assert done == []
    result()
    assert done == [threading.current_thread()]


@pytest.mark.parametrize("threads", [1, 2])
def test_what_the_work_raises_comes_out_where_its_result_is_asked_for(threads):
    result = Lanes(threads).start(lambda: 1 // 0)
    with pytest.raises(ZeroDivisionError):
        result()


@pytest.mark.parametrize(("threads", "a_pass"), [(1, 1), (2, 1), (MOST_LANES, 1), (4 * MOST_LANES, 4)])
def test_more_threads_than_lanes_are_shared_out(threads, a_pass):
    assert Lanes(threads).threads_a_pass == a_pass
