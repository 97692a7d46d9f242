// Where the time between an input and its picture goes: one column a frame, stages stacked, with a line of rates.

const STAGES = [
  ["engine", "#69d58c", "engine"],
  ["renderer", "#ff9a4d", "renderer"],
  ["waiting", "#7a8399", "waiting"],
  ["browser", "#6fc3ff", "to screen"],
];
const KEPT = 150;
const DRAW_MS = 250;

export const median = (values) => {
  const sorted = values.filter(Number.isFinite).sort((a, b) => a - b);
  return sorted.length ? sorted[sorted.length >> 1] : NaN;
};

export class Graph {
  constructor(canvas, legend, rate) {
    this._canvas = canvas;
    this._rate = rate;
    this._frames = [];
    this._values = {};
    for (const [name, color, text] of STAGES) {
      const item = legend.appendChild(document.createElement("li"));
      const dot = item.appendChild(document.createElement("i"));
      dot.style.background = color;
      item.append(text);
      this._values[name] = item.appendChild(document.createElement("b"));
    }
    setInterval(() => document.hidden || this._draw(), DRAW_MS);
  }

  add(stages, path, moment) {
    this._frames.push({ ...stages, browser: Math.max(0, path), moment });
    if (this._frames.length > KEPT) this._frames.shift();
  }

  clear() {
    this._frames = [];
  }

  // Pictures a second over the last two seconds, and medians of the stages, ms.
  figures() {
    const now = performance.now();
    const late = this._frames.filter((frame) => now - frame.moment < 2000);
    const figures = { fps: late.length / 2 };
    for (const [name] of STAGES) figures[name] = median(this._frames.map((frame) => frame[name] ?? 0));
    figures.total = median(this._frames.map(total));
    return figures;
  }

  _draw() {
    const figures = this.figures();
    this._rate.textContent = figures.fps ? `${Math.round(figures.fps)} fps · ${Math.round(figures.total)} ms in all` : "";
    for (const [name] of STAGES) this._values[name].textContent = figures[name] > 0 ? `${Math.round(figures[name])} ms` : "–";
    const { clientWidth: width, clientHeight: height } = this._canvas;
    if (!width) return;
    const scale = devicePixelRatio;
    if (this._canvas.width !== Math.round(width * scale)) Object.assign(this._canvas, { width: Math.round(width * scale), height: Math.round(height * scale) });
    const pen = this._canvas.getContext("2d");
    pen.setTransform(scale, 0, 0, scale, 0, 0);
    pen.clearRect(0, 0, width, height);
    const top = roundUp(Math.max(50, ...this._frames.map(total)));
    this._columns(pen, width, height, top);
    this._scale(pen, width, height, top);
  }

  _columns(pen, width, height, top) {
    const step = width / KEPT;
    this._frames.forEach((frame, i) => {
      let foot = height;
      for (const [name, color] of STAGES) {
        const tall = ((frame[name] || 0) / top) * (height - 6);
        pen.fillStyle = color;
        pen.fillRect((KEPT - this._frames.length + i) * step, foot - tall, step + 0.4, tall);
        foot -= tall;
      }
    });
  }

  _scale(pen, width, height, top) {
    pen.font = "11px system-ui, sans-serif";
    pen.lineWidth = 1;
    for (const share of [0.5, 1]) {
      const y = height - share * (height - 6);
      pen.strokeStyle = "#fff3";
      pen.beginPath();
      pen.moveTo(0, y + 0.5);
      pen.lineTo(width, y + 0.5);
      pen.stroke();
      pen.strokeStyle = "#0009";
      pen.lineWidth = 3;
      pen.strokeText(`${Math.round(share * top)} ms`, 6, y + 13);
      pen.lineWidth = 1;
      pen.fillStyle = "#f3f1ec";
      pen.fillText(`${Math.round(share * top)} ms`, 6, y + 13);
    }
  }
}

const total = (frame) => STAGES.reduce((sum, [name]) => sum + (frame[name] || 0), 0);
const roundUp = (value) => [50, 100, 200, 400, 600, 800, 1000, 2000].find((step) => value <= step) ?? Math.ceil(value / 1000) * 1000;
