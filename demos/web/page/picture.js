// The picture over WebRTC, and which note of the server belongs to the frame that is on the screen.
//
// A frame is known by its RTP time stamp: that of the server's note plus an origin which the sender draws at random. So
// the origin is what all frames agree on: each frame allows as many origins as there are notes, and two or three frames
// leave one.

const TURN = 2 ** 32;
const KEPT = 120;
const PATIENCE = 24;
const GATHER_MS = 1000;
const SLACK = [0, 1, -1, 2, -2]; // browsers compute the stamp from another clock, and round

const wrapped = (value) => ((value % TURN) + TURN) % TURN;

export class Origin {
  constructor() {
    this.forget();
  }

  forget() {
    this.value = null;
    this._allowed = null;
    this._misses = 0;
  }

  // The note of a frame, or undefined. `notes` is a Map from time stamp to note.
  match(rtp, notes) {
    if (this.value === null) this._learn(rtp, notes);
    if (this.value === null) return undefined;
    const slack = SLACK.find((step) => notes.has(wrapped(rtp - this.value + step)));
    this._misses = slack === undefined ? this._misses + 1 : 0;
    if (this._misses > PATIENCE) this.forget();
    return slack === undefined ? undefined : notes.get(wrapped(rtp - this.value + slack));
  }

  _learn(rtp, notes) {
    const now = new Set([...notes.keys()].map((pts) => wrapped(rtp - pts)));
    const agreed = [...(this._allowed ?? [])].filter((value) => SLACK.some((step) => now.has(wrapped(value + step))));
    if (agreed.length === 1) this.value = agreed[0];
    this._allowed = agreed.length ? new Set(agreed) : now;
  }
}

export class Picture extends EventTarget {
  constructor(video, link) {
    super();
    this.video = video;
    this.frames = 0;
    this._link = link;
    this._notes = new Map();
    link.addEventListener("welcome", () => this.call());
    link.addEventListener("answer", (event) => this._answer(event.detail.sdp));
    link.addEventListener("picture", (event) => this._note(event.detail));
    link.addEventListener("gone", () => this._peer?.close());
    this._listen();
  }

  static possible() {
    return "RTCPeerConnection" in window;
  }

  async call() {
    this._peer?.close();
    const peer = (this._peer = new RTCPeerConnection({ iceServers: [] }));
    this._origin = new Origin();
    const transceiver = peer.addTransceiver("video", { direction: "recvonly" });
    peer.ontrack = (event) => {
      this.video.srcObject = new MediaStream([event.track]);
      this.video.play().catch(() => {}); // a page in the background plays when it comes to the front
    };
    peer.onconnectionstatechange = () => {
      if (peer === this._peer && peer.connectionState === "failed") this._fail();
    };
    if ("jitterBufferTarget" in transceiver.receiver) transceiver.receiver.jitterBufferTarget = 0;
    await peer.setLocalDescription(await peer.createOffer());
    await gathered(peer);
    if (peer === this._peer) this._link.send({ type: "offer", sdp: peer.localDescription.sdp });
  }

  async _answer(sdp) {
    if (this._peer?.signalingState === "have-local-offer") await this._peer.setRemoteDescription({ type: "answer", sdp });
  }

  _fail() {
    this.dispatchEvent(new Event("blocked"));
    setTimeout(() => this._link.open && this.call(), 2000);
  }

  _note(note) {
    this._notes.set(note.pts % TURN, note);
    if (this._notes.size > KEPT) this._notes.delete(this._notes.keys().next().value);
  }

  _listen() {
    if (!("requestVideoFrameCallback" in this.video)) {
      setInterval(() => this._plain(), 33);
      return;
    }
    const shown = (now, about) => {
      this.frames += 1;
      const note = about.rtpTimestamp === undefined ? this._newest() : this._origin?.match(about.rtpTimestamp, this._notes);
      if (note) this._tell(note, Math.max(now, about.expectedDisplayTime));
      this.video.requestVideoFrameCallback(shown);
    };
    this.video.requestVideoFrameCallback(shown);
  }

  // A browser that does not say which frame it shows gets the newest note.
  _plain() {
    const note = this._newest();
    if (note && note !== this._last) this._tell(note, performance.now());
  }

  _newest() {
    return [...this._notes.values()].at(-1);
  }

  _tell(note, moment) {
    this._last = note;
    const path = this._link.server(moment) - note.shown;
    this.dispatchEvent(new CustomEvent("frame", { detail: { note, path, moment } }));
  }
}

// Addresses of this machine are known at once or never; nothing is asked of the world.
function gathered(peer) {
  if (peer.iceGatheringState === "complete") return Promise.resolve();
  return new Promise((resolve) => {
    setTimeout(resolve, GATHER_MS);
    peer.onicegatheringstatechange = () => peer.iceGatheringState === "complete" && resolve();
  });
}
