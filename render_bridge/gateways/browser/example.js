// A small world for the page: a road to the horizon and a car that the arrow keys steer.

export const WIDTH = 448;
export const HEIGHT = 256;
const CLASSES = ["ground", "track", "air", "car"];

export const GREETING = {
  engine: "browser example",
  width: WIDTH,
  height: HEIGHT,
  rate: [24, 1],
  tick_rate: 120,
  table: {
    name: "browser-1",
    hash: "b62ac5b1187a3866",
    classes: CLASSES.map((name, id) => [id, name, [60 * id, 60 * id, 60 * id]]),
  },
  mapping: { ground: "grass", track: "road", air: "sky", car: "player_car" },
};

const keys = new Set();

/** Remember which keys are down. */
export function listen(target) {
  target.addEventListener("keydown", (event) => keys.add(event.key));
  target.addEventListener("keyup", (event) => keys.delete(event.key));
  target.addEventListener("blur", () => keys.clear());
}

let place = 0;

/** Class map of a frame, Uint8Array of WIDTH × HEIGHT. */
export function draw(number) {
  place += (keys.has("ArrowRight") ? 4 : 0) - (keys.has("ArrowLeft") ? 4 : 0);
  place = Math.max(-150, Math.min(150, place));
  const map = new Uint8Array(WIDTH * HEIGHT);
  const horizon = HEIGHT / 3;
  const bend = 40 * Math.sin(number / 30);
  for (let y = 0; y < HEIGHT; y++) {
    const depth = (y - horizon) / (HEIGHT - horizon);
    const middle = WIDTH / 2 + bend * (1 - depth) ** 2;
    for (let x = 0; x < WIDTH; x++) {
      map[y * WIDTH + x] = y < horizon ? 2 : Math.abs(x - middle) < 10 + 190 * depth ? 1 : 0;
    }
  }
  for (let y = HEIGHT - 60; y < HEIGHT - 20; y++) {
    map.fill(3, y * WIDTH + WIDTH / 2 + place - 30, y * WIDTH + WIDTH / 2 + place + 30);
  }
  return map;
}
