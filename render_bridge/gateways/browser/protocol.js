// The engine's end of the Paintover frame protocol (docs/PROTOCOL.md), without a socket: messages in, messages out.

import { decode, encode } from "./msgpack.js";

export const TYPES = {
  HELLO: 0x01, FRAME: 0x02, CONTROL: 0x03, ACK: 0x04, WELCOME: 0x10, CREDIT: 0x11, PICTURE: 0x12, RECEIPT: 0x13,
  PING: 0x20, PONG: 0x21, BYE: 0x22, ERROR: 0x23,
};
const KNOWN = { // fields of what a renderer sends
  [TYPES.WELCOME]: ["renderer", "attempt", "session", "resumed", "generation", "table_name", "table_hash", "encoding",
    "planes", "run", "first_run", "window", "heartbeat_ms", "dead_ms", "chunk", "last_seq", "last_tick", "notes"],
  [TYPES.CREDIT]: ["generation", "grant", "frames"],
  [TYPES.PICTURE]: ["generation", "seq", "tick", "chunk", "width", "height", "encoding", "stamps", "renderer_stamps"],
  [TYPES.RECEIPT]: ["id", "generation", "stage", "chunk", "text"],
  [TYPES.PING]: ["id", "time"],
  [TYPES.PONG]: ["id", "time", "received", "sent"],
  [TYPES.BYE]: ["text"],
  [TYPES.ERROR]: ["code", "name", "text", "fatal", "about_type", "about_seq", "about_grant", "details"],
};
const GREETING_MS = 100;

/** Frames of one message → one WebSocket message: count, lengths (u32 little-endian), frames. */
export function pack(frames) {
  const head = 4 + 4 * frames.length;
  const bytes = new Uint8Array(frames.reduce((sum, frame) => sum + frame.length, head));
  const view = new DataView(bytes.buffer);
  view.setUint32(0, frames.length, true);
  let at = head;
  frames.forEach((frame, k) => {
    view.setUint32(4 + 4 * k, frame.length, true);
    bytes.set(frame, at);
    at += frame.length;
  });
  return bytes;
}

/** One WebSocket message (ArrayBuffer) → its frames. Throws Error if the lengths do not add up. */
export function unpack(buffer) {
  const view = new DataView(buffer);
  const count = view.getUint32(0, true);
  const frames = [];
  let at = 4 + 4 * count;
  for (let k = 0; k < count; k++) {
    const size = view.getUint32(4 + 4 * k, true);
    frames.push(new Uint8Array(buffer, at, size));
    at += size;
  }
  if (at !== buffer.byteLength) throw new Error("lengths of frames do not add up");
  return frames;
}

/** Class map, Uint8Array → run-length records of value, count (u16 little-endian). */
export function runLengths(map) {
  const out = new Uint8Array(3 * map.length);
  let at = 0;
  for (let k = 0; k < map.length; ) {
    const value = map[k];
    let end = k + 1;
    while (end < map.length && map[end] === value && end - k < 65535) end++;
    out[at++] = value;
    out[at++] = (end - k) & 255;
    out[at++] = (end - k) >> 8;
    k = end;
  }
  return out.slice(0, at);
}

export class Engine {
  /**
   * @param greeting engine, width, height, rate [frames, seconds], tick_rate, table {name, hash, classes}, mapping?,
   *     otherwise?
   * @param hooks send(frames), picture(header, rgb), and optionally state(text), refused(error)
   */
  constructor(greeting, hooks) {
    this.greeting = greeting;
    this.hooks = hooks;
    this.state = "lost";
    this.generation = 0;
    this.nextSeq = 0;
    this.skipped = 0;
    this.attempt = 0;
    this.grants = [];
    this.held = null;
    this.token = undefined;
    this.welcome = { heartbeat_ms: 250, dead_ms: 1000 };
    this.instance = crypto.getRandomValues(new Uint8Array(8));
    this.heard = this.spoke = this.greetAt = this.advanced = 0;
    this.controlId = 0;
    this.standing = new Map();
  }

  /** Offer a drawn class map (Uint8Array, kept) with its tick: the newest wins. */
  offer(map, tick, now, inputTime = now) {
    if (this.held) this.skipped++; // inside a run it went out at once, so this one would have begun a run
    this.held = { map, tick, seq: this.nextSeq++, stamps: { input: nanoseconds(inputTime), drawn: nanoseconds(now) } };
    this.pump(now);
  }

  /** Send a prompt or a schedule. Looks and resets are more than this small client knows: it throws Error. */
  control(kind, fields, now) {
    if (kind !== "prompt" && kind !== "schedule") throw new Error(`a control ${kind} cannot be sent from here`);
    const control = { id: ++this.controlId, kind, ...fields };
    this.standing.set(kind, control);
    if (this.state === "open") this.send(TYPES.CONTROL, { ...control, generation: this.generation }, [], now);
  }

  /** Let time pass; call it a few times a heartbeat. */
  advance(now) {
    if (this.state === "closed") return;
    // a page that slept must not take its renderer for dead; of its pause a heartbeat at most counts as silence.
    const pause = now - this.advanced - this.welcome.heartbeat_ms;
    if (pause > 0) this.heard = Math.min(now, this.heard + pause);
    this.advanced = now;
    if (this.state === "open") {
      if (now - this.heard > this.welcome.dead_ms) this.lose("the renderer is silent", now);
      else if (now - this.spoke > this.welcome.heartbeat_ms) {
        this.send(TYPES.PING, { id: this.nextSeq % 2 ** 32, time: nanoseconds(now) }, [], now);
      }
    } else if (now >= this.greetAt) this.greet(now);
  }

  /** One message from the renderer, as frames. */
  receive(frames, now) {
    this.heard = now;
    const [tag, body, ...buffers] = frames;
    const type = tag?.length === 5 ? tag[4] : undefined;
    let header;
    try {
      header = this.check(tag, body, type);
    } catch (fault) {
      if (type !== TYPES.ERROR && this.state === "open") this.refuse(fault, type, now);
      return;
    }
    if (this.state === "closed") return;
    if (type === TYPES.WELCOME) this.open(header, now);
    else if (type === TYPES.BYE) this.lose(header.text, now);
    else if (type === TYPES.ERROR) this.error(header, now);
    else if (this.state !== "open") return;
    else if (type === TYPES.CREDIT && header.generation === this.generation) {
      this.grants.push({ number: header.grant, left: header.frames });
    } else if (type === TYPES.PICTURE && header.generation === this.generation) {
      this.hooks.picture(header, buffers[0]);
      this.send(TYPES.ACK, { acknowledged: header.seq }, [], now);
    } else if (type === TYPES.PING) {
      this.send(TYPES.PONG, { ...header, received: nanoseconds(now), sent: nanoseconds(now) }, [], now);
    }
    this.pump(now);
  }

  /** Say BYE. */
  close(now) {
    this.send(TYPES.BYE, { text: "the page was left" }, [], now);
    this.state = "closed";
  }

  check(tag, body, type) {
    const fault = (code, text) => Object.assign(new Error(text), { code });
    if (type === undefined || tag[0] !== 0x50 || tag[1] !== 0x46 || tag[2] !== 0x50) throw fault(101, "bad tag");
    if (tag[3] !== 1 && type !== TYPES.ERROR) throw fault(102, `this end speaks version 1, the peer ${tag[3]}`);
    if (!Object.values(TYPES).includes(type)) throw fault(103, `unknown type ${type}`);
    if (!KNOWN[type]) throw fault(306, "only an engine may send this");
    let header;
    try {
      header = decode(body);
    } catch (error) {
      throw fault(104, error.message);
    }
    if (typeof header !== "object" || Array.isArray(header)) throw fault(104, "the header must be a map");
    const unknown = Object.keys(header).find((name) => !KNOWN[type].includes(name) && !name.startsWith("x-"));
    if (unknown !== undefined) throw fault(106, `unknown field ${unknown}`);
    return header;
  }

  open(welcome, now) {
    if (welcome.attempt !== this.attempt || this.state !== "greeting") return;
    this.state = "open";
    this.welcome = welcome;
    this.token = welcome.session;
    this.grants = [];
    for (const control of [...this.standing.values()].sort((a, b) => a.id - b.id)) {
      this.send(TYPES.CONTROL, { ...control, generation: this.generation }, [], now);
    }
    this.hooks.state?.(`${welcome.renderer} serves us`);
  }

  error(error, now) {
    if (error.about_grant !== undefined) this.grants = this.grants.filter((g) => g.number !== error.about_grant);
    if (error.code === 200) {
      if (this.state === "open") this.lose("the renderer does not know us", now);
    } else if (error.code === 205 || error.code === 207) {
      this.lose(error.text, now);
      this.greetAt = now + (error.details?.retry_ms ?? GREETING_MS);
    } else {
      this.hooks.refused?.(error);
      if (error.fatal) {
        this.state = "closed";
        this.hooks.state?.(error.text);
      }
    }
  }

  lose(reason, now) {
    this.state = "lost";
    this.grants = [];
    this.greetAt = now;
    this.hooks.state?.(`lost: ${reason}`);
  }

  greet(now) {
    this.state = "greeting";
    this.greetAt = now + GREETING_MS;
    const hello = {
      ...this.greeting, instance: this.instance, attempt: ++this.attempt, mode: "play", form: "ids",
      encodings: ["rle", "raw"], planes: [], generation: this.generation, next_seq: this.held?.seq ?? this.nextSeq,
      resume: this.token,
    };
    this.send(TYPES.HELLO, hello, [], now);
  }

  pump(now) {
    const grant = this.grants[0];
    if (this.state !== "open" || !this.held || !grant) return;
    const { map, tick, seq, stamps } = this.held;
    const encoding = this.welcome.encoding;
    const header = {
      generation: this.generation, grant: grant.number, seq, tick, skipped: this.skipped, encoding, planes: [],
      plane_encodings: [], stamps: { ...stamps, sent: nanoseconds(now) }, last: false,
    };
    this.held = null;
    if (--grant.left === 0) this.grants.shift();
    this.send(TYPES.FRAME, header, [encoding === "rle" ? runLengths(map) : map], now);
  }

  refuse(fault, type, now) {
    const name = "illegal_message";
    this.send(TYPES.ERROR, { code: fault.code, name, text: fault.message, fatal: false, about_type: type }, [], now);
  }

  send(type, header, buffers, now) {
    this.spoke = now;
    this.hooks.send([Uint8Array.of(0x50, 0x46, 0x50, 1, type), encode(header), ...buffers]);
  }
}

function nanoseconds(milliseconds) {
  return Math.round(milliseconds * 1e6);
}
