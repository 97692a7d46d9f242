// Pads (Gamepad API) and the touch screen: whole states of what drives, sent when they change.

const BUTTONS = { a: 0, dpleft: 14, dpright: 15 };
const COMMANDS = { 3: "camera", 2: "view", 1: "back to the track", 9: "pause", 8: "looks", 5: "gear up", 4: "gear down" };
const PICKING = { 12: "up", 13: "down", 14: "left", 15: "right", 0: "take", 1: "leave", 2: "clear", 8: "leave", 9: "leave" };
// A pad that the browser has no mapping for: its fourth button opens looks and all the rest, where its stick moves.
const PLAIN_COMMANDS = { 3: "looks", 4: "gear down", 5: "gear up" };
const PLAIN_PICKING = { 0: "take", 1: "leave", 2: "clear", 3: "leave" };
const WAYS = ["up", "down", "left", "right"];
const PUSHED = 0.6;
const DELAY_MS = 400;
const REPEAT_MS = 110;
const SEEN = 6; // times that a button was seen down, before it counts as held: a slow page sees a short press for long
const MOST = 7; // one more is the touch screen's
const TOUCH = 7;

export class Pads {
  // `send(message)`; `command(name)`; `picking()` says that looks are being chosen, then `pick(way)` hears the buttons.
  constructor({ send, command, picking, pick }) {
    Object.assign(this, { _send: send, _command: command, _picking: picking, _pick: pick });
    this._last = new Map();
    this._held = new Map();
    addEventListener("gamepaddisconnected", (event) => this._gone(event.gamepad.index));
    const turn = () => {
      this._poll();
      requestAnimationFrame(turn);
    };
    turn();
  }

  // Everything is sent anew after the server has forgotten it.
  forget() {
    this._last.clear();
  }

  _poll() {
    const pads = navigator.getGamepads ? [...navigator.getGamepads()] : [];
    for (const pad of pads) if (pad && pad.connected && pad.index < MOST) this._read(pad);
  }

  _read(pad) {
    const standard = pad.mapping === "standard";
    const pressed = (i) => Boolean(pad.buttons[i]?.pressed);
    const value = (i) => pad.buttons[i]?.value ?? 0;
    this._edges(pad, standard, pressed);
    const picking = this._picking();
    const buttons = standard ? Object.keys(BUTTONS).filter((name) => pressed(BUTTONS[name])) : pressed(2) ? ["a"] : [];
    const busy = picking && !standard; // its few controls are the cursor's
    this.report({
      type: "pad", id: pad.index, name: pad.id.slice(0, 80) || "pad", steer: busy ? 0 : bounded(pad.axes[0] ?? 0),
      throttle: busy ? 0 : standard ? value(7) : value(0), brake: busy ? 0 : standard ? value(6) : value(1),
      buttons: picking ? [] : buttons,
    });
  }

  _edges(pad, standard, pressed) {
    const before = this._held.get(pad.index) ?? new Map();
    const down = [...pad.buttons.keys()].filter(pressed).concat(standard ? [] : pushed(pad));
    const now = new Map(down.map((i) => [i, before.get(i) ?? { seen: 0, again: performance.now() + DELAY_MS }]));
    this._held.set(pad.index, now);
    for (const [i, hold] of now) {
      const picking = this._picking();
      const way = WAYS.includes(i) ? i : (standard ? PICKING : PLAIN_PICKING)[i];
      const command = (standard ? COMMANDS : PLAIN_COMMANDS)[i];
      if (!before.has(i)) picking ? way && this._pick(way) : command && this._command(command);
      else if (++hold.seen > SEEN && performance.now() > hold.again && picking && WAYS.includes(way)) {
        hold.again = performance.now() + REPEAT_MS; // a direction that is held comes again
        this._pick(way);
      }
    }
  }

  report(state) {
    const text = JSON.stringify(state);
    const idle = !state.steer && !state.throttle && !state.brake && !state.buttons.length;
    if (this._last.get(state.id) === text || (idle && !this._last.has(state.id) && state.id === TOUCH)) return;
    this._last.set(state.id, text);
    this._send(state);
  }

  _gone(id) {
    this._held.delete(id);
    if (this._last.delete(id)) this._send({ type: "pad gone", id });
  }
}

const bounded = (value) => Math.max(-1, Math.min(1, value));

function pushed({ axes: [x = 0, y = 0] }) {
  return [x < -PUSHED && "left", x > PUSHED && "right", y < -PUSHED && "up", y > PUSHED && "down"].filter(Boolean);
}

// Steering by a thumb's way from where it came down, pedals as buttons; a pad of its own for the server.
export class Touch {
  // `command(name)` hears what else a thumb asks for.
  constructor(pads, command) {
    this._pads = pads;
    this._state = { steer: 0, throttle: 0, brake: 0, buttons: [] };
    this._area = document.getElementById("touch");
    if (matchMedia("(pointer: coarse)").matches) this.show();
    addEventListener("pointerdown", (event) => event.pointerType === "touch" && this.show(), { capture: true });
    this._stick(document.getElementById("steer"));
    this._pedal("pedal-gas", (down) => (this._state.throttle = Number(down)));
    this._pedal("pedal-brake", (down) => (this._state.brake = Number(down)));
    this._pedal("pedal-hand", (down) => (this._state.buttons = down ? ["a"] : []));
    for (const [id, name] of [["touch-back", "back to the track"], ["gear-up", "gear up"], ["gear-down", "gear down"]]) {
      document.getElementById(id).addEventListener("click", () => command(name));
    }
  }

  show() {
    this._area.hidden = false;
    document.body.classList.add("touching");
  }

  _report() {
    this._pads.report({ type: "pad", id: TOUCH, name: "touch screen", ...this._state });
  }

  _stick(base) {
    const knob = base.querySelector("i");
    const reach = 62;
    let start = null;
    const move = (x) => {
      const way = start === null ? 0 : Math.max(-reach, Math.min(reach, x - start));
      knob.style.translate = `${way}px 0`;
      this._state.steer = way / reach;
      this._report();
    };
    base.addEventListener("pointerdown", (event) => {
      base.setPointerCapture(event.pointerId);
      start = event.clientX;
      move(start);
    });
    base.addEventListener("pointermove", (event) => start !== null && move(event.clientX));
    for (const end of ["pointerup", "pointercancel"]) {
      base.addEventListener(end, () => {
        start = null;
        move(0);
      });
    }
  }

  _pedal(id, set) {
    const pedal = document.getElementById(id);
    const change = (down) => {
      pedal.classList.toggle("down", down);
      set(down);
      this._report();
    };
    pedal.addEventListener("pointerdown", (event) => {
      pedal.setPointerCapture(event.pointerId);
      change(true);
    });
    for (const end of ["pointerup", "pointercancel"]) pedal.addEventListener(end, () => change(false));
  }
}
