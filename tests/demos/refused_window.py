"""Play with a teacher view that was asked for by name and cannot be opened, while the race is still being loaded."""

if __name__ == "__main__":
    from demos.options import NamedLook
    from demos.play import window
    from demos.play.game import PlayOptions
    from demos.play.painter import Painter
    from engine_sim.racing.world import RaceSetup
    from tests.demos.play_standins import open_class_only
    from tests.demos.watched_window import BusyLoader

    class RefusedWindow(window.PlayWindow):
        """The window with views that need GL and a loader that takes its time."""

        def __init__(self, options: PlayOptions) -> None:
            super().__init__(options, lambda job: Painter(job, open_class_only), BusyLoader())

    window.PlayWindow = RefusedWindow  # type: ignore[misc]
    looks = (NamedLook("plain", None),)
    raise SystemExit(window.play_in_window(PlayOptions(RaceSetup(track="ring"), looks, view="teacher")))
