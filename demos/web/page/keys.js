// The keyboard: driving keys by their place, commands by the letter on the key.

export const DRIVING = new Set([
  "ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown", "KeyW", "KeyA", "KeyS", "KeyD", "Space",
]);
export const COMMANDS = {
  p: "pause", c: "camera", v: "view", l: "looks", t: "prompt", h: "help", f1: "help", f: "full screen", m: "studio",
  enter: "again", r: "back to the track", e: "gear up", q: "gear down",
};
export const HELP = [
  ["arrows or W A S D", "steer, throttle, brake and reverse"],
  ["space", "handbrake"],
  ["R", "put the car back on the track"],
  ["E  Q", "gear up, gear down (with --manual)"],
  ["Enter", "another race"],
  ["C  V", "next camera, next view"],
  ["L", "looks and all the rest: arrow keys move, Enter takes"],
  ["T", "type a prompt; Ctrl+Enter paints it, Esc goes back to the race"],
  ["P  M  F", "pause, studio, full screen"],
  ["pad", "stick and triggers drive; Y camera, X view, B back to the track, Start pause, Back looks and all the rest"],
];

// What stands on the key; on a keyboard without Latin letters, what stands there on one that has them.
export function letter({ key, code }) {
  const foreign = key.length === 1 && key > "~" && code.startsWith("Key");
  return (foreign ? code.slice(3) : key).toLowerCase();
}

const types = (element) => element.matches?.("textarea, input");
const holds = (element) => element.matches?.("button, a") && element.matches(":focus-visible");

export class Keys {
  // `drive(code, down)` and `command(name)` are called; `idle()` when the page loses the keys.
  constructor({ drive, command, idle }) {
    this._down = new Set();
    this._drive = drive;
    addEventListener("keydown", (event) => this._press(event, command));
    addEventListener("keyup", (event) => this._release(event));
    const lose = () => {
      this._down.clear();
      idle();
    };
    addEventListener("blur", lose);
    document.addEventListener("visibilitychange", () => document.hidden && lose());
  }

  _press(event, command) {
    if (event.key === "Escape") return command("leave");
    if (document.querySelector("dialog[open]") || types(event.target)) return;
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    // Whoever walks through the studio with the keyboard presses its buttons with it; letters still drive.
    const spoken = holds(event.target) && (event.code === "Space" || event.key === "Enter" || event.code.startsWith("Arrow"));
    if (spoken) return;
    if (DRIVING.has(event.code)) {
      event.preventDefault();
      if (!this._down.has(event.code)) {
        this._down.add(event.code);
        this._drive(event.code, true);
      }
      return;
    }
    const name = COMMANDS[letter(event)];
    if (name && !event.repeat) {
      event.preventDefault();
      command(name);
    }
  }

  _release(event) {
    if (this._down.delete(event.code)) this._drive(event.code, false);
  }
}
