// The browser client without a browser: same modules, same WebSocket interface. Prints what it sees, ends on SIGTERM.
import { connect } from "../../render_bridge/gateways/browser/client.js";
import { draw, GREETING, HEIGHT, WIDTH } from "../../render_bridge/gateways/browser/example.js";

let pictures = 0;
const { stop, engine } = connect({
  url: process.argv[2],
  greeting: { ...GREETING, rate: [60, 1] },
  draw,
  show: (rgb) => {
    pictures++;
    const sky = [...rgb.slice(0, 3)];
    if (pictures % 20 === 1) console.log(JSON.stringify({ pictures, size: rgb.length === WIDTH * HEIGHT * 3, sky }));
  },
  state: (text) => console.log(JSON.stringify({ state: text })),
});
process.on("SIGTERM", () => {
  stop();
  setTimeout(() => process.exit(engine.nextSeq > 0 ? 0 : 1), 100);
});
