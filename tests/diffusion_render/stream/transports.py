"""A way to a device that stands in for CUDA's on the processor: what goes to the host arrives when it is waited for."""

import torch


class SlowTransport:
    """Everything in the queue's order; garbage in the host's memory until somebody waits."""

    GARBAGE = 0xA5

    def __init__(self):
        self.given, self.queue, self.sent = [], [], []

    def host_memory(self, shape, dtype):
        memory = torch.empty(tuple(shape), dtype=dtype)
        memory.view(torch.uint8).fill_(self.GARBAGE)
        self.given.append(memory)
        return memory

    def _is_given(self, tensor):
        return any(tensor.untyped_storage().data_ptr() == m.untyped_storage().data_ptr() for m in self.given)

    def begin(self, place, values):
        assert place.is_contiguous()
        assert place.dtype == values.dtype
        to_host = self._is_given(place)
        assert to_host != self._is_given(values)
        if to_host:
            self.queue.append((place, values.clone()))
        else:
            self.sent.append(values.clone())
            place.copy_(values)

    def mark(self):
        before = list(self.queue)

        def wait():
            for place, values in before:
                place.copy_(values)

        return wait
