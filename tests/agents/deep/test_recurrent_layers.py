"""Are the batched layers torch's GRU and LSTM, cell by cell, and is memory dropped where an episode begins?"""

from __future__ import annotations

import numpy as np
import pytest
import torch

from mohs.agents.deep.networks.layers import generators, padded
from mohs.agents.deep.networks.recurrent import LAYERS, Echo, Moments, Recall, Recurrent

PEERS = {"gru": torch.nn.GRU, "lstm": torch.nn.LSTM}
CELLS, BATCH, TIME, INPUTS, OUTPUTS = 3, 4, 6, 5, 11


def gates_of(weight, layer):
    """Our weights [rows, gates · padded outputs] of one cell, as torch keeps them: [gates · outputs, rows]."""
    split = weight.unflatten(1, (LAYERS[layer][1], padded(OUTPUTS)))[..., :OUTPUTS]
    return split.flatten(1).T


def peer_of(ours, i, layer):
    peer = PEERS[layer](INPUTS, OUTPUTS, batch_first=True)
    with torch.no_grad():
        peer.weight_ih_l0.copy_(gates_of(ours.weight[i, :INPUTS], layer))
        peer.weight_hh_l0.copy_(gates_of(ours.recalls[i, :OUTPUTS], layer))
        peer.bias_ih_l0.copy_(gates_of(ours.bias[i], layer)[:, 0])
        peer.bias_hh_l0.copy_(gates_of(ours.recalled_bias[i], layer)[:, 0])
    return peer


def example(layer):
    torch.manual_seed(1)
    ours = Recurrent(generators([1, 2, 3]), INPUTS, OUTPUTS, layer)
    x = torch.zeros(CELLS, BATCH, TIME, padded(INPUTS))
    x[..., :INPUTS] = torch.randn(CELLS, BATCH, TIME, INPUTS)
    begins = torch.zeros(CELLS, BATCH, TIME, dtype=torch.bool)
    return ours, x, torch.zeros(CELLS, BATCH, ours.memory), begins


@pytest.mark.parametrize("layer", LAYERS)
def test_values_and_gradients_are_torchs(layer):
    ours, x, memory, begins = example(layer)
    weights = torch.randn(BATCH, TIME, OUTPUTS)
    out, _ = ours(x, memory, begins)
    (out[..., :OUTPUTS] * weights).sum().backward()
    assert (out[..., OUTPUTS:] == 0).all()
    for i in range(CELLS):
        peer = peer_of(ours, i, layer)
        expected, _ = peer(x[i, ..., :INPUTS])
        (expected * weights).sum().backward()
        torch.testing.assert_close(out[i, ..., :OUTPUTS], expected)
        torch.testing.assert_close(gates_of(ours.weight.grad[i, :INPUTS], layer), peer.weight_ih_l0.grad)
        torch.testing.assert_close(gates_of(ours.recalls.grad[i, :OUTPUTS], layer), peer.weight_hh_l0.grad)
        torch.testing.assert_close(gates_of(ours.recalled_bias.grad[i], layer)[:, 0], peer.bias_hh_l0.grad)


@pytest.mark.parametrize("layer", LAYERS)
def test_what_pads_the_widths_is_never_learnt(layer):
    ours, x, memory, begins = example(layer)
    ours(x, memory, begins)[0].square().sum().backward()
    assert (ours.weight.grad[:, INPUTS:] == 0).all()
    assert (ours.recalls.grad[:, OUTPUTS:] == 0).all()
    beyond = ours.recalls.grad.unflatten(2, (LAYERS[layer][1], padded(OUTPUTS)))[..., OUTPUTS:]
    assert (beyond == 0).all()


@pytest.mark.parametrize("layer", LAYERS)
def test_a_new_episode_inside_a_sequence_begins_with_nothing(layer):
    ours, x, memory, begins = example(layer)
    begins[:, 1, 3] = True
    out, _ = ours(x, memory + 0.5, begins)
    first, between = ours(x[:, :, :3], memory + 0.5, begins[:, :, :3])
    after_reset, _ = ours(x[:, :, 3:], memory, begins[:, :, 3:])
    went_on, _ = ours(x[:, :, 3:], between, torch.zeros_like(begins[:, :, 3:]))
    torch.testing.assert_close(out[:, :, :3], first)
    torch.testing.assert_close(out[:, 1, 3:], after_reset[:, 1])
    torch.testing.assert_close(out[:, 0, 3:], went_on[:, 0])
    assert not torch.allclose(out[:, 1, 3:], went_on[:, 1])


@pytest.mark.parametrize("layer", LAYERS)
@pytest.mark.parametrize("batch", [1, 3])
def test_a_cell_has_the_same_bits_in_any_pack(layer, batch):
    """Also with widths that are no multiples of 16, where torch's own sigmoid would differ."""
    keys = [5, 6, 7]
    x = torch.randn(3, batch, 7, 8, generator=torch.Generator().manual_seed(0))
    begins = torch.zeros(3, batch, 7, dtype=torch.bool)

    def results(cells):
        layers = Recurrent(generators([keys[i] for i in cells]), 8, 24, layer)
        out, memory = layers(x[cells], torch.zeros(len(cells), batch, layers.memory), begins[cells])
        out.square().sum().backward()
        return [out, memory, layers.weight.grad, layers.recalls.grad, layers.bias.grad, layers.recalled_bias.grad]

    together = results([0, 1, 2])
    for i in range(3):
        assert all(torch.equal(a[i], b[0]) for a, b in zip(together, results([i]), strict=True))


def test_the_echo_is_what_was_done_and_earned_last():
    begins = torch.tensor([[[True, False]]])
    choices = Moments(torch.zeros(1), begins, torch.tensor([[[[1, 0], [1, 2]]]]), torch.tensor([[[5.0, -2.0]]]))
    assert Echo((2, 3)).features(choices).tolist() == [[[[0] * 6, [0, 1, 0, 0, 1, -2]]]]
    numbers = choices._replace(action=torch.tensor([[[[0.5], [0.25]]]]))
    assert Echo(width=1).features(numbers).tolist() == [[[[0, 0], [0.25, -2]]]]


def test_a_recall_of_one_cell_goes_on_elsewhere():
    one, other = (Recall(2, 3, 8, (1, np.int64), torch.device("cpu")) for _ in range(2))
    one.memory = torch.randn(2, 3, 8)
    one.action = np.arange(6).reshape(2, 3, 1)
    one.after(np.arange(6.0), np.array([True, False] * 3))
    other.load(0, one.save(1))
    for name in ("memory", "action", "reward", "begins"):
        assert np.array_equal(np.asarray(getattr(other, name)[0]), np.asarray(getattr(one, name)[1]))
    assert other.begins[1].all()
