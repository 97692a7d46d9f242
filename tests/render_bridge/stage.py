"""The loop of a renderer on a bare state machine, with renderers that book what they are told."""

from render_bridge import asking, serving
from render_bridge.serving import ServeLoop
from render_bridge.stand_in import PaletteRenderer

from .link import drawn, offer, opened


def take_clock(monkeypatch, clock):
    """The loop looks at this clock from now on."""
    for module in (serving, asking):
        monkeypatch.setattr(module, "time", clock)


class DirectEnd:
    """The renderer's end of a link, without a socket."""

    def __init__(self, link):
        self._link, self.offer = link, link.offer
        for name in ("ask", "hurry", "running", "answer", "settle", "refuse_by"):
            setattr(self, name, getattr(link.renderer, name))

    def events(self, timeout):
        found, self._link.renderer_events = self._link.renderer_events, []
        return found

    def fail(self, *args):
        self._link.renderer_events += self._link.renderer.fail(*args)

    def turn_out(self, *args):
        self._link.renderer_events += self._link.renderer.turn_out(*args)


class Spy(PaletteRenderer):
    """Books what it is told to do."""

    def __init__(self, table):
        super().__init__(table)
        self.told = []

    def render(self, frames):
        self.told.append(("render", [f.seq for f in frames]))
        return super().render(frames)

    def apply(self, control):
        super().apply(control)
        self.told.append(("apply", control.text))

    def reset(self, seed):
        self.told.append(("reset", seed))

    def close(self):
        self.told.append(("close",))


class Factory:
    """Makes spies; refuses engines of the name that it is given."""

    def __init__(self, offer_, refuses=""):
        self.offer, self._refuses = offer_, refuses
        self.made = []

    def open(self, event):
        if event.hello.engine == self._refuses:
            raise MemoryError("3 GB are missing")
        self.made.append(Spy(self.offer.table))
        return self.made[-1]


class Stage:
    """A link with a loop on it.

    Args:
        refuses: name of engines that the factory refuses.
        make: another factory, from the offer.
        overbook: see ``ServeLoop``.
    """

    def __init__(self, refuses="", make=None, overbook=False, **changes):
        self.link = opened(offer=offer(**changes.pop("offer", {})), **changes)
        self.factory = make(self.link.offer) if make else Factory(self.link.offer, refuses)
        self.loop = ServeLoop(DirectEnd(self.link), self.factory, overbook=overbook)
        self.turn()

    def turn(self, times=3):
        """Let the loop take what has come and carry what it says."""
        for _ in range(times):
            self.loop.turn(0.0)
            self.link.exchange()
        return self

    def draw(self, *numbers):
        """One engine frame after the other, each taken and answered as far as credit goes."""
        for number in numbers:
            self.link.engine.offer(drawn(number))
            self.link.exchange()
            self.turn()
        return self

    @property
    def spy(self):
        return self.factory.made[0]
