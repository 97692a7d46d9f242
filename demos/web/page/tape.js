// A recording before and after its race: being prepared, being packed, ready to be fetched; and calling it off.

const byId = (id) => document.getElementById(id);
const KEPT = "recording"; // in the tab's own memory: a page that is loaded again offers it still

export class Tape {
  // `say(text)` takes a line for a while.
  constructor(link, say) {
    this._link = link;
    this._say = say;
    this._preparing = this._drives = false;
    this._packing = { name: "" };
    this._ready = null;
    byId("tape-off").addEventListener("click", () => this._callOff());
    byId("tape-get").addEventListener("click", () => this._fetch());
    link.addEventListener("packing", ({ detail }) => this._pack(detail));
    link.addEventListener("recording", ({ detail }) => this._take(detail));
  }

  // Another session of the server has no recording of ours.
  welcome(session) {
    const kept = JSON.parse(sessionStorage.getItem(KEPT) ?? "null");
    this._session = session;
    this._ready = kept?.session === session ? kept : null;
    this._show();
  }

  show(state) {
    this._preparing = state.recording && state.phase === "loading";
    if (state.recording) this._forget();
    this._show();
  }

  drives(drives) {
    this._drives = drives;
    this._show();
  }

  _pack(packing) {
    this._packing = packing;
    this._show();
  }

  _take(recording) {
    this._ready = { ...recording, session: this._session };
    sessionStorage.setItem(KEPT, JSON.stringify(this._ready));
    this._show();
    this._fetch();
    this._say(`recorded: ${recording.name}.zip, ${megabytes(recording.bytes)}`);
  }

  _forget() {
    this._ready = null;
    sessionStorage.removeItem(KEPT);
  }

  _callOff() {
    this._link.send(this._packing.name ? { type: "call off" } : { type: "record", on: false });
  }

  _fetch() {
    const { path, name } = this._ready;
    Object.assign(document.createElement("a"), { href: `/${path}`, download: `${name}.zip` }).click();
  }

  _show() {
    const { name, done, bytes } = this._packing;
    const busy = Boolean(name) || this._preparing;
    const ready = !busy && this._ready;
    const held = byId("tape").contains(document.activeElement);
    byId("tape").hidden = !busy && !ready;
    byId("tape-off").hidden = !busy;
    byId("tape-off").disabled = !this._drives;
    byId("tape-get").hidden = !ready;
    byId("tape-bar").hidden = !busy;
    if (name && bytes) byId("tape-bar").value = done / bytes;
    else byId("tape-bar").removeAttribute("value"); // nobody knows how far it is
    if (name) tell(`Packing the recording: ${Math.floor((100 * done) / Math.max(1, bytes))} % of ${megabytes(bytes)}`);
    else if (busy) tell("Preparing the recording");
    else tell(ready ? `Recorded: ${megabytes(ready.bytes)}` : "");
    if (held && !byId("tape").contains(document.activeElement?.offsetParent ? document.activeElement : null)) this._hold();
  }

  // The cursor of keys and pads stays where it was, or a pad would drive again unasked.
  _hold() {
    (byId("tape-get").offsetParent ? byId("tape-get") : byId("record")).focus({ focusVisible: true });
  }
}

const megabytes = (bytes) => `${(bytes / 1e6).toFixed(1)} MB`;

function tell(text) {
  if (byId("tape-says").textContent !== text) byId("tape-says").textContent = text;
}
