// The page: wires the parts together and says what cannot be done.

import { Graph, median } from "./graph.js";
import { Hud } from "./hud.js";
import { HELP, Keys } from "./keys.js";
import { Link } from "./link.js";
import { Pads, Touch } from "./pad.js";
import { showPeople } from "./people.js";
import { Picture } from "./picture.js";
import { Studio } from "./studio.js";

const byId = (id) => document.getElementById(id);
const NARROW = 900;
const SAID_MS = 3500;

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
});
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

link.addEventListener("welcome", ({ detail }) => {
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
  byId("dot").hidden = !state.recording;
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
});
link.addEventListener("thumbnail", ({ detail }) => studio.thumbnail(detail.number));
link.addEventListener("notice", ({ detail }) => say(detail.text));
link.addEventListener("recording", ({ detail }) => {
  const anchor = Object.assign(document.createElement("a"), { href: `/${detail.path}`, download: `${detail.name}.zip` });
  anchor.click();
  say(`recorded: ${detail.name}.zip, ${(detail.bytes / 1e6).toFixed(1)} MB`);
});
link.addEventListener("failed", ({ detail }) => veil("The game has ended", detail.text));
link.addEventListener("refused", ({ detail }) => {
  if (detail.why === "token") veil("This page needs a token", `${detail.text}. It stands in the link that the server printed.`, "token");
  else if (detail.why) veil("No way in", detail.text, "retry");
  else say(detail.text);
});
link.addEventListener("gone", () => {
  if (!byId("veil").hidden && byId("veil-title").textContent === "The game has ended") return;
  veil("The server is gone", link.known ? "It ended, or the network did. This page comes back with it." : "There is no answer yet. This page tries again by itself.");
});

picture.addEventListener("frame", ({ detail: { note, path, moment } }) => {
  hud.show(note.hud);
  if (note.stages) graph.add(note.stages, path, moment);
});
picture.addEventListener("blocked", () => say("the picture finds no way here; a firewall may block UDP"));

// --- screens

let quiet;
function say(text) {
  byId("says").textContent = text;
  byId("says").classList.add("on");
  clearTimeout(quiet);
  quiet = setTimeout(() => byId("says").classList.remove("on"), SAID_MS);
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
}

function unveil() {
  byId("veil").hidden = true;
}

byId("token-form").addEventListener("submit", (event) => {
  event.preventDefault();
  link.token = byId("token").value.trim();
  link.connect();
});
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
  if (token) sessionStorage.setItem("token", token);
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
