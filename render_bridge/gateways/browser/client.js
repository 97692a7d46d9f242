// An engine in a page: class maps out through a WebSocket, pictures in onto a canvas.

import { Engine, pack, unpack } from "./protocol.js";

const TICK_MS = 50;
const RECONNECT_MS = 300;

/**
 * Connect a drawing function to a renderer.
 *
 * @param url address of the gateway, ws://…
 * @param greeting see Engine
 * @param draw (frame number) → Uint8Array of width × height class ids; a new one each time
 * @param show (Uint8Array RGB, header) for each picture
 * @param state (text) for people
 * @returns {{engine: Engine, stop: () => void}}
 */
export function connect({ url, greeting, draw, show, state = () => {} }) {
  let socket = null;
  let running = true;
  const clock = () => performance.now();
  const engine = new Engine(greeting, {
    send: (frames) => socket?.readyState === 1 && socket.send(pack(frames)),
    picture: (header, rgb) => show(rgb, header),
    state,
    refused: (error) => state(`refused: ${error.code} ${error.text}`),
  });
  const dial = () => {
    if (!running) return;
    socket = new WebSocket(url);
    socket.binaryType = "arraybuffer";
    socket.onmessage = (event) => engine.receive(unpack(event.data), clock());
    socket.onclose = () => {
      if (running && engine.state !== "closed") setTimeout(dial, RECONNECT_MS);
    };
    socket.onerror = () => {};
  };
  dial();
  const heart = setInterval(() => engine.advance(clock()), TICK_MS);
  const [frames, seconds] = greeting.rate;
  const step = greeting.tick_rate * seconds / frames;
  let number = 0;
  const frame = setInterval(() => {
    const pressed = clock();
    engine.offer(draw(number), Math.round(number * step), clock(), pressed);
    number++;
  }, 1000 * seconds / frames);
  return {
    engine,
    stop: () => {
      running = false;
      clearInterval(heart);
      clearInterval(frame);
      engine.close(clock());
      socket?.close();
    },
  };
}

/** RGB bytes → a canvas of that size. */
export function paint(canvas, rgb, width, height) {
  const image = new ImageData(width, height);
  for (let from = 0, to = 0; from < rgb.length; from += 3, to += 4) {
    image.data[to] = rgb[from];
    image.data[to + 1] = rgb[from + 1];
    image.data[to + 2] = rgb[from + 2];
    image.data[to + 3] = 255;
  }
  canvas.getContext("2d").putImageData(image, 0, 0);
}
