// The studio beside the picture: looks, prompt, reference, views, and the buttons of the race.

import { Letters } from "./letters.js";

const byId = (id) => document.getElementById(id);
const LONGEST_PROMPT = 1000;
const MOST_BYTES = 16 * 1024 * 1024;
const PLACES = { prompt: "prompt-says", reference: "drop-says" };
const TYPES = ["image/png", "image/jpeg", "image/webp"];
const VIEWS = {
  paint: "picture", class: "class map", teacher: "teacher", split: "map | picture", both: "map | teacher", all: "all three",
};

export class Studio {
  // `say(text)` takes a line for the picture; `leave()` goes back to the race.
  constructor(link, actions, { say, leave }) {
    this._link = link;
    this._say = say;
    this._leave = leave;
    this._state = {};
    this._drives = false;
    for (const [id, action] of Object.entries(actions)) byId(id).addEventListener("click", action);
    byId("paint").addEventListener("click", () => this._paint());
    byId("own").addEventListener("click", () => this._ownPrompt());
    byId("prompt").addEventListener("input", () => {
      this._long = null; // whatever was said of the line before
      this._count();
    });
    byId("prompt").addEventListener("keydown", (event) => {
      if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) this._paint();
    });
    byId("panel").addEventListener("keydown", (event) => this._arrow(event));
    this._letters = new Letters(LONGEST_PROMPT, (text) => this._paint(text));
    this._references();
  }

  // --- what the server says

  welcome(welcome) {
    this._looks = welcome.looks;
    this._made = new Set();
    const place = byId("looks");
    place.replaceChildren(...welcome.looks.map((look, number) => this._lookButton(look, number)));
    welcome.thumbnails.forEach((number) => this.thumbnail(number));
    byId("where").textContent = `${words(welcome.track)} · ${welcome.size.join("×")}`;
    byId("safety").textContent = welcome.local
      ? "Only this machine can open this page. For others start with --host: that takes a token and TLS."
      : `Open to other machines: with a token, an origin check${welcome.secure ? " and TLS" : ""}. The link is a password.`;
  }

  thumbnail(number) {
    const button = byId("looks").children[number];
    if (!button || this._made.has(number)) return;
    this._made.add(number);
    const picture = document.createElement("img");
    picture.alt = "";
    picture.src = `/looks/${number}.jpg?ticket=${encodeURIComponent(this._link.ticket)}`;
    button.prepend(picture);
  }

  // A new session of the server, which knows nothing of what was chosen in the last one.
  forget() {
    this._state = {};
    byId("prompt").value = "";
    byId("preview").hidden = true;
    for (const about of ["prompt", "reference"]) this.says(about, "");
  }

  show(state) {
    const before = this._state;
    this._state = state;
    [...byId("looks").children].forEach((button, i) => mark(button, i === state.look));
    this._views(state);
    byId("pause").classList.toggle("on", state.paused);
    byId("pause").querySelector("span").textContent = state.paused ? "Go on" : "Pause";
    byId("record").classList.toggle("on", state.recording);
    byId("record").querySelector("span").textContent = !state.recording ? "Record" : state.phase === "loading" ? "Cancel" : "Stop";
    byId("painting").hidden = !state.paints;
    const prompt = byId("prompt");
    prompt.placeholder = this._looks?.[state.look]?.text ?? "";
    if (before.prompt !== state.prompt && document.activeElement !== prompt) prompt.value = state.prompt;
    if (before.look !== undefined && before.look !== state.look) this.says("reference", "");
    if (before.reference && !state.reference) byId("preview").hidden = true;
    byId("drop-text").innerText = state.reference ? `painting after ${state.reference}` : "Drop or paste a picture,\nor choose one";
    this._count();
    this._allow();
  }

  drives(drives) {
    this._drives = drives;
    this._allow();
  }

  // --- the cursor of keys and pads: over the looks in two directions, from there to everything else in a row

  focusLooks() {
    const look = byId("looks").children[this._state.look] ?? byId("looks").children[0];
    (look && !look.disabled ? look : this._controls()[0])?.focus({ focusVisible: true });
  }

  get picking() {
    return Boolean(document.activeElement?.closest("#panel, dialog[open], #veil"));
  }

  pick(way) {
    const here = document.activeElement;
    const dialog = here.closest("dialog[open]");
    if (this._letters.open) this._letters.pick(way);
    else if (way === "take") here.matches("textarea") ? this._letters.show(here.value) : here.click();
    else if (here.closest("#veil")) return; // there is nothing else to go to
    else if (way === "leave") dialog ? dialog.close() : this._leave();
    else if (dialog) dialog.scrollBy(0, { up: -60, down: 60 }[way] ?? 0);
    else this._neighbour(here, way)?.focus({ focusVisible: true });
  }

  // Arrow keys walk as a pad's cross does; where somebody writes they are the cursor's.
  _arrow(event) {
    if (!event.code.startsWith("Arrow") || !event.target.matches("button:focus-visible")) return;
    event.preventDefault();
    this.pick(event.code.slice(5).toLowerCase());
  }

  _neighbour(here, way) {
    const looks = [...byId("looks").children];
    const look = looks[looks.indexOf(here) + { up: -2, down: 2, left: -1, right: 1 }[way]];
    if (looks.includes(here) && look) return look;
    const controls = this._controls().filter((one) => one === here || !looks.includes(here) || !looks.includes(one));
    const step = ["up", "left"].includes(way) ? -1 : 1;
    return controls[(controls.indexOf(here) + step + controls.length) % controls.length];
  }

  _controls() {
    return [...byId("panel").querySelectorAll("button, textarea")].filter((one) => !one.disabled && one.offsetParent);
  }

  nextView() {
    const { views = [], view } = this._state;
    if (views.length) this._link.send({ type: "view", name: views[(views.indexOf(view) + 1) % views.length] });
  }

  _lookButton(look, number) {
    const button = document.createElement("button");
    button.className = "look";
    button.title = look.text;
    button.setAttribute("role", "radio");
    button.append(Object.assign(document.createElement("span"), { textContent: words(look.name) }));
    button.addEventListener("click", () => this._link.send({ type: "look", number }));
    return button;
  }

  _views(state) {
    const place = byId("views");
    const names = state.views ?? [];
    if (place.dataset.names !== names.join()) {
      place.dataset.names = names.join();
      place.replaceChildren(
        ...names.map((name) => {
          const button = Object.assign(document.createElement("button"), { textContent: VIEWS[name] ?? name });
          button.dataset.view = name;
          button.setAttribute("role", "radio");
          button.addEventListener("click", () => this._link.send({ type: "view", name }));
          return button;
        }),
      );
    }
    for (const button of place.children) mark(button, button.dataset.view === state.view);
  }

  _allow() {
    const race = this._state.phase === "racing";
    for (const button of document.querySelectorAll("#pause, #camera, #again")) button.disabled = !this._drives || !race;
    byId("record").disabled = !this._drives || !(race || this._state.recording); // one that is only being prepared can be cancelled
    // What is chosen while a race loads begins with it.
    for (const choice of document.querySelectorAll("#looks button, #views button, #paint, #own, #drop, #prompt")) choice.disabled = !this._drives;
    this._count();
  }

  // --- prompt

  _count() {
    const { value } = byId("prompt");
    const length = value.length > 2 * LONGEST_PROMPT ? value.length : [...value].length; // of a book, nobody needs the exact one
    const long = length > LONGEST_PROMPT;
    byId("count").textContent = length ? `${length.toLocaleString()} of ${LONGEST_PROMPT}` : "the look’s own";
    byId("count").classList.toggle("bad", long);
    if (long !== this._long) this.says("prompt", long ? `This prompt is too long: at most ${LONGEST_PROMPT} characters can be used.` : "", "bad");
    this._long = long;
    byId("paint").disabled = long || !this._drives;
  }

  _paint(text = byId("prompt").value) {
    byId("prompt").value = text;
    this._count();
    if (byId("paint").disabled) return;
    this.says("prompt", "");
    this._link.send({ type: "prompt", text });
    byId("prompt").blur();
  }

  _ownPrompt() {
    this._paint("");
  }

  // --- reference

  _references() {
    const file = byId("file");
    byId("drop").addEventListener("click", () => {
      // Browsers open the list of files for a mouse, a key or a finger, and stay silent for a pad.
      if (navigator.userActivation?.isActive === false) this.says("reference", "Files are chosen with mouse, keyboard or touch.");
      else file.click();
    });
    file.addEventListener("change", () => {
      if (file.files[0]) this.refer(file.files[0]);
      file.value = "";
    });
    const files = (event) => [...(event.dataTransfer?.types ?? [])].includes("Files");
    let depth = 0;
    const veil = (on) => (byId("drag-veil").hidden = !on);
    addEventListener("dragenter", (event) => files(event) && veil(++depth > 0));
    addEventListener("dragleave", (event) => files(event) && veil(--depth > 0));
    addEventListener("dragover", (event) => files(event) && event.preventDefault());
    addEventListener("drop", (event) => {
      if (!files(event)) return;
      event.preventDefault();
      depth = 0;
      veil(false);
      if (event.dataTransfer.files[0]) this.refer(event.dataTransfer.files[0]);
    });
    addEventListener("paste", (event) => {
      const picture = [...(event.clipboardData?.files ?? [])].find((one) => one.type.startsWith("image/"));
      if (picture) this.refer(picture);
    });
  }

  async refer(file) {
    const wrong = this._unfit(file);
    if (wrong) return this.says("reference", wrong, "bad");
    this.says("reference", "sending …");
    const query = new URLSearchParams({ ticket: this._link.ticket, name: file.name || "pasted picture" });
    try {
      const answer = await fetch(`/reference?${query}`, { method: "POST", body: file });
      const { text } = await answer.json();
      this.says("reference", text, answer.ok ? "good" : "bad");
      if (answer.ok) this._preview(file);
    } catch {
      this.says("reference", "The server did not take it; is it still there?", "bad");
    }
  }

  _unfit(file) {
    if (this._state.paints === false) return "A reference is for a renderer; these are the engine’s own views.";
    if (!this._drives) return "Only the one at the wheel can change the picture; ask for the wheel first.";
    if (file.size > MOST_BYTES) return `${file.name} has ${Math.round(file.size / 1e6)} MB; at most ${MOST_BYTES / 2 ** 20} MB can be used.`;
    if (!TYPES.includes(file.type)) return `${file.name || "This"} is no picture; drop a PNG, JPEG or WebP file.`;
    return "";
  }

  _preview(file) {
    const preview = byId("preview");
    if (preview.src) URL.revokeObjectURL(preview.src);
    preview.src = URL.createObjectURL(file);
    preview.hidden = false;
  }

  // What became of a prompt or a reference, at its own place; what was refused is said where it can be seen now.
  says(about, text, kind = "") {
    const place = byId(PLACES[about]);
    place.textContent = text;
    place.className = `says ${kind}`;
    if (kind !== "bad" || !text) return;
    if (place.checkVisibility?.({ visibilityProperty: true }) ?? place.offsetParent) place.scrollIntoView({ block: "nearest" });
    else this._say(text);
  }
}

const words = (name) => {
  const text = name.replaceAll("-", " ");
  return text.charAt(0).toUpperCase() + text.slice(1);
};

function mark(button, chosen) {
  button.setAttribute("aria-checked", String(chosen));
}
