// Typing with a pad: a board of letters for the prompt, as the window has one.

const byId = (id) => document.getElementById(id);
const ROWS = [..."1234567890|qwertyuiop|asdfghjkl'|zxcvbnm,.-".split("|").map((row) => [...row]), ["space", "rub out", "caps", "empty", "paint"]];

export class Letters {
  // `paint(text)` takes what was written; no more than `most` characters can be.
  constructor(most, paint) {
    this._most = most;
    this._paint = paint;
    this._caps = false;
    this._characters = [];
    byId("board").append(
      ...ROWS.map((row) => {
        const line = Object.assign(document.createElement("div"), { className: "keys" });
        line.append(...row.map((key) => this._key(key)));
        return line;
      }),
    );
  }

  get open() {
    return byId("letters").open;
  }

  show(text) {
    this._characters = [...text];
    byId("letters").showModal();
    this._write();
    this._at(1, 0);
  }

  // What a pad's buttons mean here.
  pick(way) {
    const [row, column] = this._place();
    const wide = ROWS[row].length;
    if (way === "take") document.activeElement.click();
    else if (way === "leave") byId("letters").close();
    else if (way === "clear") this._choose("rub out");
    else if (way === "left" || way === "right") this._at(row, (column + (way === "left" ? wide - 1 : 1)) % wide);
    else {
      const next = (row + (way === "up" ? ROWS.length - 1 : 1)) % ROWS.length;
      this._at(next, Math.floor((column * ROWS[next].length) / wide)); // the last row has fewer, wider keys
    }
  }

  _key(key) {
    const button = Object.assign(document.createElement("button"), { textContent: key, type: "button" });
    button.addEventListener("click", () => this._choose(key));
    return button;
  }

  _place() {
    const line = document.activeElement.closest("#board .keys");
    return line ? [[...byId("board").children].indexOf(line), [...line.children].indexOf(document.activeElement)] : [1, 0];
  }

  _at(row, column) {
    byId("board").children[row].children[column].focus({ focusVisible: true });
  }

  _choose(key) {
    if (key === "paint") {
      byId("letters").close();
      return this._paint(this._characters.join("").trim());
    }
    if (key === "caps") this._caps = !this._caps;
    else if (key === "rub out") this._characters.pop();
    else if (key === "empty") this._characters = [];
    else if (this._characters.length < this._most) this._characters.push(key === "space" ? " " : this._shown(key));
    this._write();
  }

  _shown(key) {
    return this._caps && key.length === 1 ? key.toUpperCase() : key;
  }

  _write() {
    const line = byId("letters-line");
    line.textContent = `${this._characters.join("")}_`;
    line.scrollLeft = line.scrollWidth; // the end is in sight
    byId("letters-count").textContent = `${this._characters.length} of ${this._most}`;
    [...byId("board").children].forEach((line, row) =>
      [...line.children].forEach((button, column) => (button.textContent = this._shown(ROWS[row][column]))),
    );
  }
}
