// A page that watches: asks for the picture, says why there is none, and comes back by itself.

const byId = (id) => document.getElementById(id);
const video = byId("video");
const PAUSES_MS = [500, 1000, 2000, 4000];
const GATHER_MS = 1000;
const STILL_MS = 3000;
const REST_MS = 2500;
const ANSWER_MS = 8000;
const ENDED_MS = [1000, 5000, 15000]; // after a proper end: a stream may only begin anew, else there is no hurry

let token = tokenOfAddress();
let peer = null;
let place = ""; // what this visit is called on the server
let misses = 0;
let later = 0;
let seenAt = 0;
let ended = false;
export let frames = 0;

async function connect() {
  clearTimeout(later);
  leave();
  const mine = (peer = new RTCPeerConnection({ iceServers: [] }));
  const transceiver = mine.addTransceiver("video", { direction: "recvonly" });
  if ("jitterBufferTarget" in transceiver.receiver) transceiver.receiver.jitterBufferTarget = 0;
  mine.ontrack = ({ track }) => {
    video.srcObject = new MediaStream([track]);
    video.play().catch(() => {}); // a page in the background plays when it comes to the front
  };
  mine.onconnectionstatechange = () => {
    if (mine !== peer) return;
    if (mine.connectionState === "connected" && !frames) say("Live", "waiting for the first picture");
    if (["failed", "disconnected"].includes(mine.connectionState)) again("The stream is gone", "This page comes back with it.");
  };
  await mine.setLocalDescription(await mine.createOffer());
  await gathered(mine);
  if (mine !== peer) return;
  try {
    const answer = await fetch("/whep", {
      method: "POST", body: mine.localDescription.sdp, signal: AbortSignal.timeout(ANSWER_MS),
      headers: { "Content-Type": "application/sdp", ...(token ? { Authorization: `Bearer ${token}` } : {}) },
    });
    const text = await answer.text();
    if (mine !== peer) return;
    if (answer.status === 401) return ask();
    const ours = answer.headers.get("Content-Type")?.startsWith("text/plain");
    if (answer.status === 503 && ours) return again("No place is free", `${text}. This page waits for one.`);
    if (answer.status >= 500) return again("The stream is not there", "Something in between answers for it. This page comes back with it.");
    if (!answer.ok) return say("No picture", text);
    place = answer.headers.get("Location") ?? "";
    misses = 0;
    ended = false;
    await mine.setRemoteDescription({ type: "answer", sdp: text });
    hearOfEnd(mine, place);
  } catch {
    if (mine === peer) again("The stream is not there", "It has ended, or not begun. This page comes back with it.");
  }
}

function leave() {
  peer?.close();
  peer = null;
  frames = 0;
  if (place) fetch(place, { method: "DELETE", keepalive: true }).catch(() => {});
  place = "";
}

function again(title, text) {
  if (ended) say("The stream has ended", "Should another begin at this address, this page shows it.");
  else say(title, text);
  const pauses = ended ? ENDED_MS : PAUSES_MS;
  clearTimeout(later);
  later = setTimeout(connect, pauses[Math.min(misses++, pauses.length - 1)]);
}

// The server answers this when the visit is over: well if the stream has ended in order, else not at all.
async function hearOfEnd(mine, visit) {
  const answer = await fetch(visit).catch(() => null);
  if (mine !== peer || !answer?.ok) return;
  ended = true;
  place = ""; // nobody is there to be told that we go
  leave();
  again();
}

// --- what is on the screen

function say(title, text) {
  byId("veil").hidden = false;
  byId("stage").classList.add("veiled");
  byId("title").textContent = title;
  byId("text").textContent = text;
  byId("token-form").hidden = true;
  byId("full").hidden = true;
}

function ask() {
  sessionStorage.removeItem("token");
  if (token) say("This token is wrong", "The right one ends the link that was printed when the stream began; a stream that begins anew may have another.");
  else say("This stream needs a token", "It ends the link that was printed when the stream began, behind #token=.");
  byId("token-form").hidden = false;
  byId("token").focus();
}

function show() {
  byId("veil").hidden = true;
  byId("stage").classList.remove("veiled");
  byId("full").hidden = false;
}

// Pictures come at a constant rate, even of a scene that stands still: none for long means that the sender has gone.
function watch() {
  const came = () => {
    if (!peer) return; // a last picture of a visit that is over
    frames += 1;
    seenAt = performance.now();
    if (!byId("veil").hidden) show();
  };
  const seen = () => {
    came();
    video.requestVideoFrameCallback(seen);
  };
  if ("requestVideoFrameCallback" in video) video.requestVideoFrameCallback(seen);
  else video.addEventListener("timeupdate", came);
  setInterval(() => {
    if (!frames || document.hidden || performance.now() - seenAt < STILL_MS) return;
    frames = 0;
    again("The stream stands still", "This page looks for it again.");
  }, 500);
}

function fullScreen() {
  if (document.fullscreenElement) document.exitFullscreen();
  else document.documentElement.requestFullscreen?.().catch(() => {});
}

let resting;
function moved() {
  byId("stage").classList.add("moved");
  clearTimeout(resting);
  resting = setTimeout(() => byId("stage").classList.remove("moved"), REST_MS);
}

// --- within

// Addresses of this machine are known at once or never; nothing is asked of the world.
function gathered(peer) {
  if (peer.iceGatheringState === "complete") return Promise.resolve();
  return new Promise((resolve) => {
    setTimeout(resolve, GATHER_MS);
    peer.addEventListener("icegatheringstatechange", () => peer.iceGatheringState === "complete" && resolve());
  });
}

// What people paste: the token, or the whole link that it ends.
function tokenOf(text) {
  return text.trim().split("#token=").at(-1);
}

function tokenOfAddress() {
  const found = new URLSearchParams(location.hash.slice(1)).get("token") ?? sessionStorage.getItem("token") ?? "";
  if (found) sessionStorage.setItem("token", found);
  if (location.hash) history.replaceState(null, "", location.pathname); // out of sight, and out of screenshots
  return found;
}

byId("token-form").addEventListener("submit", (event) => {
  event.preventDefault();
  token = tokenOf(byId("token").value);
  sessionStorage.setItem("token", token);
  connect();
});
byId("full").addEventListener("click", fullScreen);
video.addEventListener("dblclick", fullScreen);
addEventListener("keydown", (event) => event.key.toLowerCase() === "f" && event.target === document.body && fullScreen());
addEventListener("pointermove", moved);
addEventListener("pagehide", leave);
addEventListener("pageshow", (event) => event.persisted && connect());

if ("RTCPeerConnection" in window) {
  watch();
  connect();
} else {
  say("This browser has no WebRTC", "The picture comes over WebRTC. Open the page in a current Firefox, Chrome, Edge or Safari, and see that nothing switches it off.");
}
