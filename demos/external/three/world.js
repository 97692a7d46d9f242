// A three.js game whose picture is its class map: every object in a flat colour whose red value is its class id.

import * as THREE from "three";

export const WIDTH = 448;
export const HEIGHT = 256;
const CLASSES = ["air", "field", "road", "tree", "car"];

export const GREETING = {
  engine: "three.js example",
  width: WIDTH,
  height: HEIGHT,
  rate: [24, 1],
  tick_rate: 120,
  table: { name: "three-1", hash: "763d115c42d5cf3f", classes: CLASSES.map((name, id) => [id, name, [50 * id, 50 * id, 50 * id]]) },
  mapping: { air: "sky", field: "grass", road: "road", tree: "vegetation", car: "rival_car" },
};

/** Flat, unlit, unblended: the id is what readPixels gives back. */
function material(name) {
  const color = new THREE.Color();
  color.setRGB(CLASSES.indexOf(name) / 255, 0, 0, THREE.LinearSRGBColorSpace);
  return new THREE.MeshBasicMaterial({ color, fog: false, toneMapped: false, side: THREE.DoubleSide });
}

export class World {
  constructor(canvas) {
    this.renderer = new THREE.WebGLRenderer({ canvas, antialias: false, preserveDrawingBuffer: true });
    this.renderer.outputColorSpace = THREE.LinearSRGBColorSpace; // no sRGB conversion of ids
    this.renderer.setSize(WIDTH, HEIGHT, false);
    this.renderer.setClearColor(0x000000, 1);
    this.scene = new THREE.Scene();
    this.camera = new THREE.PerspectiveCamera(60, WIDTH / HEIGHT, 0.1, 500);
    this.add(new THREE.PlaneGeometry(400, 400), "field").rotation.x = -Math.PI / 2;
    const ring = this.add(new THREE.RingGeometry(34, 46, 96), "road");
    ring.rotation.x = -Math.PI / 2;
    ring.position.y = 0.02;
    for (let k = 0; k < 60; k++) {
      const tree = this.add(new THREE.ConeGeometry(2, 7, 8), "tree");
      const angle = k * 2.399;
      const radius = k % 2 ? 54 + (k % 7) * 4 : 26 - (k % 5) * 4;
      tree.position.set(radius * Math.cos(angle), 3.5, radius * Math.sin(angle));
    }
    this.cars = [0, 1, 2].map(() => this.add(new THREE.BoxGeometry(2, 1.4, 4), "car"));
    this.target = new THREE.WebGLRenderTarget(WIDTH, HEIGHT, { colorSpace: THREE.NoColorSpace, samples: 0 });
    this.pixels = new Uint8Array(4 * WIDTH * HEIGHT);
  }

  add(geometry, name) {
    const mesh = new THREE.Mesh(geometry, material(name));
    this.scene.add(mesh);
    return mesh;
  }

  /** Class map of a frame, a new Uint8Array, row 0 at the top. */
  draw(number) {
    const lap = number / 24 / 6;
    this.cars.forEach((car, k) => {
      const angle = lap * (1 + 0.1 * k) + 0.3 + 0.25 * k;
      car.position.set((38 + 2 * k) * Math.cos(angle), 0.7, (38 + 2 * k) * Math.sin(angle));
      car.rotation.y = -angle;
    });
    this.camera.position.set(40 * Math.cos(lap), 4, 40 * Math.sin(lap));
    this.camera.lookAt(40 * Math.cos(lap + 0.4), 1.5, 40 * Math.sin(lap + 0.4));
    this.renderer.setRenderTarget(this.target);
    this.renderer.render(this.scene, this.camera);
    this.renderer.readRenderTargetPixels(this.target, 0, 0, WIDTH, HEIGHT, this.pixels);
    const map = new Uint8Array(WIDTH * HEIGHT);
    for (let y = 0; y < HEIGHT; y++) {
      const row = 4 * WIDTH * (HEIGHT - 1 - y); // GL reads from the bottom up
      for (let x = 0; x < WIDTH; x++) map[y * WIDTH + x] = this.pixels[row + 4 * x];
    }
    return map;
  }
}
