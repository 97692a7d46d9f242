"""What is fetched is there after the wait and not before; on the processor nothing moves at all."""

import torch

from diffusion_render.stream.transport import Fetch, transport_for
from tests.diffusion_render.stream.transports import SlowTransport


def some_tensors():
    return [torch.arange(24, dtype=torch.uint8).view(2, 3, 4), torch.tensor([[1.5, torch.inf]])]


def test_what_is_fetched_is_there_after_the_wait_as_it_was_when_it_set_out():
    tensors, transport = some_tensors(), SlowTransport()
    fetch = Fetch(transport, tensors)
    for tensor in tensors:
        tensor.zero_()  # the next window's work, behind the copies in the queue
    early = [tensor.clone() for tensor in fetch._tensors]
    assert not any(torch.equal(a, b) for a, b in zip(early, some_tensors(), strict=True))
    assert all(torch.equal(a, b) for a, b in zip(fetch.wait(), some_tensors(), strict=True))


def test_a_second_wait_waits_for_nothing():
    fetch = Fetch(SlowTransport(), some_tensors())
    first = fetch.wait()
    first[0].fill_(7)
    assert fetch.wait()[0].eq(7).all()


def test_on_the_processor_the_very_tensors_are_there_already():
    assert transport_for(torch.device("cpu")) is None
    tensors = some_tensors()
    assert all(a is b for a, b in zip(Fetch(None, tensors).wait(), tensors, strict=True))
