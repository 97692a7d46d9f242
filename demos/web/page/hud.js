// The display over the picture, of the very moment that the picture shows.

const SVG = "http://www.w3.org/2000/svg";
const byId = (id) => document.getElementById(id);

export class Hud {
  constructor() {
    this._said = {};
    this._dots = [];
  }

  outline(points) {
    const path = points.map(([x, y], i) => `${i ? "L" : "M"}${(100 * x).toFixed(1)} ${(100 * y).toFixed(1)}`).join("") + "Z";
    byId("road").setAttribute("d", path);
    byId("line").setAttribute("d", path);
  }

  show(hud) {
    byId("hud").hidden = !hud;
    if (!hud) return;
    const [place, cars] = hud.position.split("/");
    this._text("place", place);
    this._text("cars", `/${cars}`);
    this._text("lap", hud.lap);
    this._text("time", hud.lap_time);
    this._text("speed", hud.speed);
    this._text("gear", hud.gear);
    this._text("banner", hud.banner);
    const lamps = byId("lamps");
    lamps.className = hud.go ? "on go" : hud.lamps ? "on" : "";
    [...lamps.children].forEach((lamp, i) => lamp.classList.toggle("lit", i < hud.lamps));
    this._cars(hud.dots);
  }

  _cars(dots) {
    const group = byId("cars-on-map");
    while (this._dots.length < dots.length) this._dots.push(group.appendChild(document.createElementNS(SVG, "circle")));
    while (this._dots.length > dots.length) this._dots.pop().remove();
    dots.forEach(([x, y, me], i) => {
      const dot = this._dots[i];
      dot.setAttribute("cx", 100 * x);
      dot.setAttribute("cy", 100 * y);
      dot.setAttribute("r", me ? 4.6 : 3.4);
      dot.setAttribute("class", me ? "me" : "");
    });
  }

  _text(id, text) {
    if (this._said[id] !== text) byId(id).textContent = this._said[id] = text;
  }
}
