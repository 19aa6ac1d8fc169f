"""Simulator of systolic arrays: exact products, cycles of the closed form, local communication."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chip2cluster import systolic
from chip2cluster.systolic import OutputStationary, SystolicArray, WeightStationary

BOTH = pytest.mark.parametrize("kind", [WeightStationary, OutputStationary])
OVERLAP = pytest.mark.parametrize("overlap", [False, True])
small = st.integers(1, 9)


def matrices(m, n, k, seed=0):
    """Random integers without zeros, so that a lost or doubled term is always detected."""
    rng = np.random.default_rng(seed)
    return tuple(rng.integers(1, 50, shape) * rng.choice([-1, 1], shape) for shape in ((m, k), (k, n)))


# --- the product and the clock -----------------------------------------------------------


@BOTH
@OVERLAP
def test_simulator_of_small_shapes_matches_the_closed_form(kind, overlap):
    # With 1 to 3 cells per side, sizes 1, 3 and 4 cover less than a tile, a tile, more than a tile, and two tiles.
    for m, n, k in itertools.product((1, 3, 4), repeat=3):
        a, b = matrices(m, n, k)
        for rows, cols in itertools.product((1, 2, 3), repeat=2):
            array = kind(a, b, rows, cols, overlap=overlap)
            assert (array.run() == a @ b).all()
            assert array.cycle == systolic.cycles(m, n, k, rows, cols, kind.dataflow, overlap=overlap)
            assert array.tiles == systolic.tiles(m, n, k, rows, cols, kind.dataflow)


@settings(deadline=None, max_examples=100)
@given(small, small, small, small, small, st.sampled_from([WeightStationary, OutputStationary]), st.booleans())
def test_simulator_of_random_shapes_matches_the_closed_form(m, n, k, rows, cols, kind, overlap):
    a, b = matrices(m, n, k, seed=m + 10 * n + 100 * k)
    array = kind(a, b, rows, cols, overlap=overlap)
    assert (array.run() == a @ b).all()
    assert array.cycle == systolic.cycles(m, n, k, rows, cols, kind.dataflow, overlap=overlap)
    assert array.useful_macs == m * n * k
    assert array.utilization == pytest.approx(systolic.utilization(m, n, k, rows, cols, kind.dataflow, overlap=overlap))


@BOTH
def test_simulator_of_128_by_128_cells(kind):
    a, b = matrices(200, 130, 140)
    array = kind(a, b, 128, 128, overlap=True)
    assert (array.run() == a @ b).all()
    assert array.cycle == systolic.cycles(200, 130, 140, 128, 128, kind.dataflow, overlap=True)


@pytest.mark.parametrize("n", range(1, 8))
def test_square_product_computes_for_3n_minus_2_cycles(n):
    # The textbook count for square products (Kung and Leiserson 1979, with both operands moving).
    array = OutputStationary(*matrices(n, n, n), n, n)
    array.run()
    at_work = [state.cycle for state in array.history if state.busy.any()]
    assert (at_work[0], at_work[-1]) == (1, 3 * n - 2)


@BOTH
@pytest.mark.parametrize(("m", "k"), [(2, 9), (4, 9), (9, 2), (9, 4), (9, 9)])
def test_overlap_uses_the_shortest_valid_interval(kind, m, k):
    class Hasty(kind):
        """Starts every tile one cycle earlier than the array allows."""

        def _may_start(self):
            return self.cycle - self._tile_started[self._started - 1] >= max(self._streamed, self.rows) - 1

    a, b = matrices(m, 8, k)
    assert (kind(a, b, 3, 3, overlap=True).run() == a @ b).all()
    hasty = Hasty(a, b, 3, 3, overlap=True)
    for _ in range(systolic.cycles(m, 8, k, 3, 3, kind.dataflow, overlap=True)):
        if not hasty.done:
            hasty.step()
    assert not hasty.done or (hasty.result != a @ b).any()


# --- against a model made of cells ------------------------------------------------------


def cell_by_cell_weight_stationary(a, b):
    """One tile, one Python object per cell: (right, down) after each cycle of the stream."""
    (m, rows), cols = a.shape, b.shape[1]
    cells = {(i, j): {"weight": b[i, j], "right": None, "down": None} for i in range(rows) for j in range(cols)}
    queues = [[None] * i + list(a[:, i]) for i in range(rows)]
    for _ in range(m + rows + cols - 2):
        before = {place: dict(cell) for place, cell in cells.items()}
        for (i, j), cell in cells.items():
            cell["right"] = before[i, j - 1]["right"] if j else (queues[i].pop(0) if queues[i] else None)
            above = before[i - 1, j]["down"] if i else 0
            cell["down"] = None if cell["right"] is None else above + cell["weight"] * cell["right"]
        yield cells


def cell_by_cell_output_stationary(a, b):
    """The same for output-stationary: (right, down, stationary) after each cycle of the stream."""
    (rows, k), cols = a.shape, b.shape[1]
    cells = {(i, j): {"sum": 0, "right": None, "down": None} for i in range(rows) for j in range(cols)}
    left = [[None] * i + list(a[i]) for i in range(rows)]
    top = [[None] * j + list(b[:, j]) for j in range(cols)]
    for _ in range(k + rows + cols - 2):
        before = {place: dict(cell) for place, cell in cells.items()}
        for (i, j), cell in cells.items():
            cell["right"] = before[i, j - 1]["right"] if j else (left[i].pop(0) if left[i] else None)
            cell["down"] = before[i - 1, j]["down"] if i else (top[j].pop(0) if top[j] else None)
            assert (cell["right"] is None) == (cell["down"] is None)
            if cell["right"] is not None:
                cell["sum"] += cell["right"] * cell["down"]
        yield cells


def same(register, cells, name):
    """Whether a masked register plane equals one field of every cell, empty ones included."""
    return all(
        (register[place] is np.ma.masked) if cell[name] is None else register[place] == cell[name]
        for place, cell in cells.items()
    )


@pytest.mark.parametrize(("length", "rows", "cols"), [(1, 1, 1), (4, 3, 2), (2, 2, 5), (5, 4, 4), (1, 3, 3)])
def test_registers_match_a_model_of_weight_stationary_cells(length, rows, cols):
    a, b = matrices(length, cols, rows)
    array = WeightStationary(a, b, rows, cols)
    for _ in range(rows):  # the weights shift in first
        array.step()
    for cells in cell_by_cell_weight_stationary(a, b):
        state = array.step()
        assert same(state.right, cells, "right") and same(state.down, cells, "down")
        assert (state.stationary.compressed() == b[~np.ma.getmaskarray(state.stationary)]).all()
    assert array.done and (state.stationary == b).all()


@pytest.mark.parametrize(("length", "rows", "cols"), [(1, 1, 1), (4, 3, 2), (2, 2, 5), (5, 4, 4), (1, 3, 3)])
def test_registers_match_a_model_of_output_stationary_cells(length, rows, cols):
    a, b = matrices(rows, cols, length)
    array = OutputStationary(a, b, rows, cols)
    for cells in cell_by_cell_output_stationary(a, b):
        state = array.step()
        assert same(state.right, cells, "right") and same(state.down, cells, "down")
        held = ~np.ma.getmaskarray(state.stationary)
        assert (held == ~np.ma.getmaskarray(state.right)).all()
        assert all(state.stationary[place] == cells[place]["sum"] for place in zip(*np.nonzero(held), strict=True))
    assert {place: cell["sum"] for place, cell in cells.items()} == dict(np.ndenumerate(a @ b))
    out = [array.step().leaving for _ in range(rows)]
    assert array.done
    assert out[-1][-1] == (a @ b)[0, -1]  # the top right result has the longest way


# --- local communication -------------------------------------------------------------------


def equal(first, second):
    """Whether two masked arrays have equal values and masks."""
    masks = np.ma.getmaskarray(first), np.ma.getmaskarray(second)
    return (masks[0] == masks[1]).all() and (first.filled(0) == second.filled(0)).all()


@BOTH
@OVERLAP
def test_values_move_to_a_neighbour_in_each_cycle(kind, overlap):
    array = kind(*matrices(5, 7, 6), 3, 4, overlap=overlap)
    before = array.state
    while not array.done:
        state = array.step()
        assert equal(state.right[:, 1:], before.right[:, :-1])
        from_above = state.down - state.stationary * state.right if kind is WeightStationary else state.down
        assert equal(from_above[1:], before.down[:-1])
        before = state


@BOTH
def test_queued_values_enter_in_their_cycle(kind):
    array = kind(*matrices(5, 3, 3), 3, 3)
    waiting = array.state
    for ahead in range(waiting.left_queue.shape[1]):
        state = array.step()
        entered = state.shadow if kind is WeightStationary else state.down
        assert equal(state.right[:, 0], waiting.left_queue[:, ahead])
        due = ~np.ma.getmaskarray(waiting.top_queue)[ahead]
        assert (entered[0][due] == waiting.top_queue[ahead][due]).all()
    assert waiting.left_queue.count() and waiting.top_queue.count() == 9


@BOTH
@OVERLAP
def test_simulator_conserves_work(kind, overlap):
    m, n, k = 5, 7, 6
    array = kind(*matrices(m, n, k), 3, 4, overlap=overlap)
    array.run()
    work = [(i, j, state.tile[i, j], state.beat[i, j]) for state in array.history for i, j in np.argwhere(state.busy)]
    assert len(work) == len(set(work)) == m * n * k == array.useful_macs


@BOTH
def test_cells_start_skewed_by_i_plus_j_cycles(kind):
    array = kind(*matrices(4, 4, 4), 4, 4)
    array.run()
    first = {(i, j): state.cycle for state in reversed(array.history) for i, j in np.argwhere(state.busy)}
    assert {place: cycle - first[0, 0] for place, cycle in first.items()} == {(i, j): i + j for i, j in first}


@OVERLAP
def test_weights_take_effect_with_their_tile(overlap):
    a, b = matrices(3, 3, 6)
    array = WeightStationary(a, b, 3, 3, overlap=overlap)
    before = array.state
    while not array.done:
        state = array.step()
        for i, j in np.argwhere(state.busy):
            assert state.stationary[i, j] == b[3 * state.tile[i, j] + i, j]
        for place in zip(*np.nonzero(state.beat == 0), strict=True):
            assert before.shadow[place] == state.stationary[place]
        before = state
    assert state.shadow.count() == 0 and state.stationary.count() == 9


@OVERLAP
@pytest.mark.parametrize("k", [1, 2, 3, 5])
def test_finished_results_wait_in_the_second_registers(overlap, k):
    a, b = matrices(6, 6, k)
    array = OutputStationary(a, b, 3, 3, overlap=overlap)
    waiting = []
    while not array.done:
        state = array.step()
        waiting += state.stationary[state.beat == k - 1].tolist()
        for value in state.leaving.compressed().tolist():
            waiting.remove(value)
        assert sorted(state.shadow.compressed().tolist()) == sorted(waiting)
    assert waiting == []


@BOTH
def test_leaving_values_sum_to_the_product(kind):
    a, b = matrices(4, 6, 6)
    array = kind(a, b, 3, 3)
    array.run()
    assert sum(state.leaving.sum() for state in array.history if state.leaving.count()) == (a @ b).sum()
    assert all((state.product == a @ b).all() for state in array.history if state.product.count())  # never a part
    complete = [state.product.count() for state in array.history]
    assert complete == sorted(complete) and complete[-1] == 24
    assert (array.history[-1].product == a @ b).all()


# --- interface ----------------------------------------------------------------------------


@BOTH
def test_simulator_steps_history_and_end(kind):
    a, b = matrices(2, 3, 4)
    array = kind(a, b, 2, 2)
    assert array.state.cycle == array.cycle == array.utilization == 0 and array.history == ()
    with pytest.raises(RuntimeError, match="not complete after 0 cycles"):
        array.result.sum()
    first = array.step()
    copy = first.right.copy()
    last = [array.step() for _ in range(3)][-1]
    assert (first.right.filled(0) == copy.filled(0)).all()  # a state is a snapshot
    assert [state.cycle for state in array.history] == [1, 2, 3, 4]
    assert array.history[3].down.filled(0).tolist() == last.down.filled(0).tolist()
    assert (array.run() == array.run()).all() and (array.result == a @ b).all()
    assert len(array.history) == array.cycle and "done" in repr(array)
    with pytest.raises(RuntimeError, match="no next step"):
        array.step()
    array.result[:] = 0
    assert (array.result == a @ b).all()


@BOTH
def test_operands_are_copied_and_do_not_wrap(kind):
    a, b = np.full((2, 100), 120, np.int8), np.full((100, 2), -120, np.int8)
    array = kind(a, b, 4, 4)
    a[:] = 0
    assert (array.run() == -1_440_000).all() and array.result.dtype == np.int64
    assert (kind([[2**62]], [[1]], 1, 1).run() == 2**62).all()
    for sign in (1, -1):
        with pytest.raises(ValueError, match="64 bits"):
            kind([[sign * 2**62, 1]], [[1], [1]], 1, 1)
    with pytest.raises(ValueError, match="64 bits"):
        kind(np.array([[2**63 + 1]], np.uint64), [[0]], 1, 1)


@BOTH
def test_simulator_of_floats_matches_numpy(kind):
    rng = np.random.default_rng(3)
    a, b = rng.normal(size=(9, 17)), rng.normal(size=(17, 5)).astype(np.float32)
    result = kind(a, b, 4, 4, overlap=True).run()
    assert result.dtype == np.float64
    np.testing.assert_allclose(result, a @ b.astype(float), rtol=1e-12, atol=1e-12)
    assert kind([[1, 2]], [[0.5], [0.25]], 2, 2).run().tolist() == [[1.0]]


def test_simulator_by_name():
    for dataflow, kind in zip(systolic.DATAFLOWS, (WeightStationary, OutputStationary), strict=True):
        array = systolic.simulator([[1]], [[1]], 2, 3, dataflow, overlap=True)
        assert type(array) is kind and array.overlap and (array.rows, array.cols) == (2, 3)
    with pytest.raises(ValueError, match="dataflow.*weight_stationary"):
        systolic.simulator([[1]], [[1]], 2, 2, "input_stationary")
    with pytest.raises(TypeError, match="WeightStationary or OutputStationary"):
        SystolicArray([[1]], [[1]], 2, 2)


@BOTH
@pytest.mark.parametrize(
    ("bad", "error"),
    [
        ([1, 2], ValueError), ([[]], ValueError), (3, ValueError), ([[[1]]], ValueError),
        ([[1, float("nan")]], ValueError), ([[1, float("inf")]], ValueError),
        ([[True, False]], TypeError), ([["1", "2"]], TypeError), (None, TypeError), ([[1 + 2j, 1]], TypeError),
        ([[1], [1, 2]], TypeError), ([[10**30, 1]], TypeError),
    ],
)  # fmt: skip
def test_invalid_matrices_are_refused(kind, bad, error):
    with pytest.raises(error, match="^a must"):
        kind(bad, [[1], [2]], 2, 2)
    with pytest.raises(error, match="^b must"):
        kind([[1, 2]], bad, 2, 2)


@BOTH
def test_other_invalid_arguments_are_refused(kind):
    with pytest.raises(ValueError, match=r"inner size.*\(1, 2\).*\(3, 1\)"):
        kind([[1, 2]], [[1], [2], [3]], 2, 2)
    for value, error in [(0, ValueError), (1.5, ValueError), (True, TypeError), ([2, 2], TypeError), ("2", TypeError)]:
        with pytest.raises(error, match="rows"):
            kind([[1]], [[1]], value, 2)
        with pytest.raises(error, match="cols"):
            kind([[1]], [[1]], 2, value)
    with pytest.raises(TypeError, match="overlap"):
        kind([[1]], [[1]], 2, 2, overlap=1)
