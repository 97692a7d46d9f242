// The page: wires the parts together and says what cannot be done.

import { Graph, median } from "./graph.js";
import { Hud } from "./hud.js";
import { HELP, Keys } from "./keys.js";
import { Link } from "./link.js";
import { Pads, Touch } from "./pad.js";
import { showPeople } from "./people.js";
import { Picture } from "./picture.js";
import { Studio } from "./studio.js";
import { Tape } from "./tape.js";

const byId = (id) => document.getElementById(id);
const NARROW = 900;
const SAID_MS = 3500;
const LONG_MS = 9000;
const READ_MS = 70; // a character
const FADE_MS = 500;
const LINES = ["says", "panel-says"]; // over the picture, and over a studio that hides it

export const link = new Link(tokenOfAddress());
export const picture = new Picture(byId("video"), link);
export const graph = new Graph(byId("graph"), byId("legend"), byId("rate"));
const hud = new Hud();
export let state = { phase: "loading", lines: [] };
let people = { driver: null, asking: [], here: [] };
let size = [448, 256];

const drives = () => link.open && people.driver === link.me;
const drive = (message) => drives() && link.send(message);
const command = (name) => drive({ type: "command", name });

const studio = new Studio(link, {
  pause: () => command("pause"),
  camera: () => command("next camera"),
  again: () => command("race again"),
  record: () => drive({ type: "record", on: !state.recording }),
  full: fullScreen,
  help: showKeys,
  menu: () => toggleStudio(),
  "close-panel": () => toggleStudio(),
}, { say, leave: () => COMMANDS.leave() });
const tape = new Tape(link, say);
new Keys({ drive: (code, down) => drive({ type: "key", code, down }), command: obey, idle: release });
const pads = new Pads({ send: drive, command: obey, picking: () => studio.picking, pick: (way) => studio.pick(way) });
new Touch(pads, obey);

// --- what keys and pads ask of the page

const COMMANDS = {
  pause: () => command("pause"),
  camera: () => command("next camera"),
  again: () => command("race again"),
  "back to the track": () => command("back to the track"),
  "gear up": () => command("gear up"),
  "gear down": () => command("gear down"),
  view: () => drives() && studio.nextView(),
  looks: () => (toggleStudio(true), studio.focusLooks()),
  prompt: () => (toggleStudio(true), byId("prompt").focus()),
  help: showKeys,
  studio: () => toggleStudio(),
  "full screen": fullScreen,
  leave: () => (document.activeElement?.blur(), document.body.classList.contains("studio") && toggleStudio(false)),
};

function obey(name) {
  COMMANDS[name]?.();
}

function showKeys() {
  byId("keys").showModal();
  byId("keys").scrollTop = 0; // its button takes the focus, and on a small page all of the view with it
}

function release() {
  pads.forget();
  drive({ type: "release" });
}

function fullScreen() {
  if (document.fullscreenElement) document.exitFullscreen();
  else document.documentElement.requestFullscreen?.().catch(() => say("this browser keeps its frame"));
}

// On a wide page the studio stands beside the picture until it is closed; on a narrow one it comes over it.
let wide = innerWidth >= NARROW;
function toggleStudio(open) {
  const { classList } = document.body;
  if (innerWidth >= NARROW) wide = open ?? !wide;
  else classList.toggle("studio", open);
  layOut();
}

// --- what the server says

// Another session than the one that this page was in: the server was started anew, and knows nothing of what was chosen.
let session = "";
function begin() {
  studio.forget();
  hud.show(null);
  state = { phase: "loading", lines: [] };
  say("The server was started anew. This is a new session: look, prompt and reference are its own, recordings are gone.", LONG_MS);
}

link.addEventListener("welcome", ({ detail }) => {
  if (session && session !== detail.session) begin();
  session = detail.session;
  tape.welcome(session);
  size = detail.size;
  studio.welcome(detail);
  pads.forget();
  byId("gears").hidden = !detail.manual;
  document.title = `Paintover: ${detail.track}`;
  unveil();
});
link.addEventListener("state", ({ detail }) => {
  if (detail.outline && detail.outline.length !== state.outline?.length) hud.outline(detail.outline);
  if (detail.phase !== state.phase || detail.view !== state.view) graph.clear();
  state = detail;
  studio.show(state);
  tape.show(state);
  byId("dot").hidden = !state.recording || state.phase === "loading";
  layOut();
  stand();
});
link.addEventListener("people", ({ detail }) => {
  const drove = drives();
  people = detail;
  showPeople(byId("wheel"), people, link.me, (message) => link.send(message));
  if (!drove && drives()) {
    pads.forget();
    if (people.here.length > 1) say("you have the wheel");
  }
  const asks = people.asking.length ? `visitor ${people.asking[0]} asks for the wheel` : "";
  byId("watching").hidden = drives() && !asks;
  byId("watching").textContent = drives() ? asks : people.driver === null ? "nobody drives" : "you are watching";
  studio.drives(drives());
  tape.drives(drives());
});
link.addEventListener("thumbnail", ({ detail }) => studio.thumbnail(detail.number));
link.addEventListener("notice", ({ detail }) => {
  if (detail.about && drives()) studio.says(detail.about, detail.text, "bad");
  else if (performance.now() >= readBy) say(detail.text);
});
link.addEventListener("failed", ({ detail }) => veil("The game has ended", detail.text));
link.addEventListener("refused", ({ detail }) => {
  if (detail.why === "wrong token") sessionStorage.removeItem("token");
  if (detail.why === "token") veil("This page needs a token", "It ends the link that the server printed, behind #token=.", "token");
  else if (detail.why === "wrong token") veil("This token is wrong", "The right one ends the link that the server printed; a server that was started anew may have another.", "token");
  else if (detail.why) veil("No way in", detail.text, "retry");
  else if (detail.about === "prompt") studio.says("prompt", detail.text, "bad");
  else say(detail.text);
});
link.addEventListener("gone", ({ detail: { ended } }) => {
  if (!byId("veil").hidden && byId("veil-title").textContent === "The game has ended") return;
  const gone = `${ended ? "It was ended" : "It ended, or the network did"}. This page comes back with it.`;
  if (!ended && !byId("veil").hidden && byId("veil-text").textContent.startsWith("It was ended")) return; // no answer since, of course
  veil("The server is gone", link.known ? gone : "There is no answer yet. This page tries again by itself.");
});

picture.addEventListener("frame", ({ detail: { note, path, moment } }) => {
  hud.show(note.hud);
  if (note.stages) graph.add(note.stages, path, moment);
});
picture.addEventListener("blocked", () => say("the picture finds no way here; a firewall may block UDP"));

// --- screens

// A line over the picture for as long as it takes to read; one that stays is not overtaken by what a beginning race has to say.
let quiet;
let readBy = 0;
function say(text, long = Math.max(SAID_MS, READ_MS * text.length)) {
  readBy = long >= LONG_MS ? performance.now() + long : 0;
  byId("says").classList.toggle("long", long > SAID_MS);
  for (const place of LINES.map(byId)) {
    place.textContent = text;
    place.classList.add("on");
  }
  clearTimeout(quiet);
  quiet = setTimeout(hush, long);
}

function hush() {
  for (const place of LINES.map(byId)) place.classList.remove("on");
  quiet = setTimeout(() => LINES.forEach((id) => (byId(id).textContent = "")), FADE_MS); // nobody is to find it there later
}

// What stands on the picture: loading, a renderer that is slow or gone, a pause.
function stand() {
  const place = byId("standing");
  const loading = state.phase === "loading";
  const lines = state.lines.length ? [...state.lines] : loading ? ["starting"] : [];
  const title = loading ? "" : state.paused ? "Paused" : "";
  place.replaceChildren();
  if (title) place.append(Object.assign(document.createElement("b"), { textContent: title }));
  if (state.paused && drives()) lines.push("P goes on");
  for (const line of lines) place.append(Object.assign(document.createElement("div"), { textContent: line }));
  if (loading) place.firstElementChild?.classList.add("busy");
  place.classList.toggle("low", !loading && !state.paused); // whoever drives looks at the road
  byId("frame").classList.toggle("veiled", loading || state.paused);
}

export function veil(title, text, way = "") {
  byId("veil").hidden = false;
  byId("veil-title").textContent = title;
  byId("veil-text").textContent = text;
  byId("token-form").hidden = way !== "token";
  byId("retry").hidden = way !== "retry";
  if (way) byId(way).focus({ focusVisible: true });
  if (way === "token") byId(way).select(); // what stands there was wrong
}

function unveil() {
  byId("veil").hidden = true;
}

byId("token-form").addEventListener("submit", (event) => {
  event.preventDefault();
  link.token = byId("token").value.trim().split("#token=").at(-1); // people paste the token, or the link that it ends
  link.connect();
});
byId("watching").addEventListener("click", () => (toggleStudio(true), byId("wheel").scrollIntoView({ block: "center" }))); // where the wheel is asked for and given
byId("retry").addEventListener("click", () => link.connect());
document.querySelector("#keys dl").append(
  ...HELP.flatMap(([key, text]) => [
    Object.assign(document.createElement("dt"), { textContent: key }),
    Object.assign(document.createElement("dd"), { textContent: text }),
  ]),
);
// A click leaves the focus with the race; who walks with the keyboard keeps it where it is.
addEventListener("pointerup", () => setTimeout(() => document.activeElement?.matches?.("button") && document.activeElement.blur()));

// The largest frame of the picture's shape that the stage has room for.
const PANELS = { split: 2, both: 2, all: 3 };
function layOut() {
  const { classList } = document.body;
  const alone = innerWidth < NARROW || !wide;
  classList.toggle("alone", alone);
  if (innerWidth >= NARROW) classList.remove("studio");
  const open = alone ? classList.contains("studio") : true;
  byId("menu").setAttribute("aria-expanded", String(open));
  const stage = byId("stage");
  const margin = alone ? 0 : 14;
  const shape = ((PANELS[state.view] ?? 1) * size[0]) / size[1];
  const above = parseFloat(getComputedStyle(stage).paddingTop);
  const width = Math.min(stage.clientWidth - 2 * margin, (stage.clientHeight - above - 2 * margin) * shape);
  byId("frame").style.width = `${Math.floor(width)}px`;
  byId("frame").style.height = `${Math.floor(width / shape)}px`;
}
addEventListener("resize", layOut);
new ResizeObserver(layOut).observe(byId("stage"));

// Figures for whoever measures: pictures so far, pictures a second, medians of the stages, ms.
export const figures = () => ({ frames: picture.frames, roundTrip: link.roundTrip, ...graph.figures() });
export { median };

function tokenOfAddress() {
  const token = new URLSearchParams(location.hash.slice(1)).get("token") ?? sessionStorage.getItem("token") ?? "";
  if (token) sessionStorage.setItem("token", token); // the address forgets it, and a page may be loaded again before it is in
  if (location.hash) history.replaceState(null, "", location.pathname); // out of sight, and out of screenshots
  return token;
}

layOut();
stand();
if (Picture.possible()) {
  link.connect();
} else {
  veil("This browser has no WebRTC", "The picture comes over WebRTC. Open the page in a current Firefox, Chrome, Edge or Safari, and see that nothing switches it off.");
}
