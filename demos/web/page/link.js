// The line to the server: messages by type, a clock to compare with, and patience when the server is gone.

const PING_MS = 1500;
const PAUSES_MS = [500, 1000, 2000, 4000];
const ENDED = 1001; // code of a socket that is closed by a server which ends

export class Link extends EventTarget {
  constructor(token) {
    super();
    this.token = token;
    this.open = false;
    this.known = false; // true once this server has let us in
    this.ticket = "";
    this.me = 0;
    this._misses = 0;
    this._clock = [];
    setInterval(() => this.open && this._ping(), PING_MS);
  }

  connect() {
    clearTimeout(this._later);
    this._refused = null;
    const url = new URL("/ws", location.href);
    url.protocol = url.protocol.replace("http", "ws");
    const socket = (this._socket = new WebSocket(url));
    socket.onopen = () => this.send({ type: "hello", token: this.token }, true);
    socket.onmessage = (event) => socket === this._socket && this._take(JSON.parse(event.data));
    socket.onclose = (event) => socket === this._socket && this._lost(event.code === ENDED);
  }

  send(message, early = false) {
    if (this._socket?.readyState === WebSocket.OPEN && (this.open || early)) this._socket.send(JSON.stringify(message));
  }

  // Time of the server, ms, at a moment of this page's clock; NaN before the first answer.
  server(moment) {
    return this._clock.length ? moment + this._best().offset : NaN;
  }

  get roundTrip() {
    return this._clock.length ? this._best().trip : NaN;
  }

  _best() {
    return this._clock.reduce((a, b) => (b.trip < a.trip ? b : a));
  }

  _ping() {
    this.send({ type: "ping", at: performance.now() });
  }

  _take(message) {
    if (message.type === "welcome") {
      this.open = this.known = true;
      if (this.token) sessionStorage.setItem("token", this.token);
      this._misses = 0;
      this._refused = null;
      this.me = message.you;
      this.ticket = message.ticket;
      this._clock = [];
      for (let i = 0; i < 4; i++) setTimeout(() => this._ping(), 150 * i);
    } else if (message.type === "pong") {
      const now = performance.now();
      this._clock.push({ trip: now - message.at, offset: message.server - (message.at + now) / 2 });
      if (this._clock.length > 12) this._clock.shift();
    } else if (message.type === "refused" && message.why) {
      this._refused = message;
    }
    this.dispatchEvent(new CustomEvent(message.type, { detail: message }));
  }

  // `ended` says that the server has told us of its end; else the network may have failed.
  _lost(ended) {
    this.open = false;
    if (this._refused) return; // whoever was refused is told so, and tries again when he wants to
    const pause = PAUSES_MS[Math.min(this._misses++, PAUSES_MS.length - 1)];
    this.dispatchEvent(new CustomEvent("gone", { detail: { ended } }));
    this._later = setTimeout(() => this.connect(), pause);
  }
}
