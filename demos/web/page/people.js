// Who drives, who asks for the wheel, and what each may do about it.

const make = (tag, more = {}, ...children) => {
  const element = Object.assign(document.createElement(tag), more);
  element.append(...children);
  return element;
};

export function showPeople(place, people, me, send) {
  const { driver, asking, here } = people;
  const others = here.length - 1;
  const row = (...children) => make("div", { className: "who" }, ...children);
  const button = (textContent, message, className = "") =>
    make("button", { textContent, className, onclick: () => send(message) });
  const rows = [];
  if (driver === me) {
    const watchers = others ? `${others} ${others === 1 ? "person watches" : "people watch"}` : "nobody else is here";
    rows.push(row(make("span", {}, make("b", { textContent: "You drive" }), ` · ${watchers}`)));
    for (const to of asking) {
      const answers = make("div", {}, button("Give", { type: "give", to, yes: true }, "main"), button("No", { type: "give", to, yes: false }));
      const asks = row(make("span", { textContent: `Visitor ${to} asks for the wheel` }), answers);
      asks.classList.add("asks");
      rows.push(asks);
    }
  } else if (driver === null) {
    rows.push(row(make("span", { textContent: "Nobody drives" }), button("Take the wheel", { type: "ask", on: true }, "main")));
  } else {
    const asked = asking.includes(me);
    const ask = asked ? button("Never mind", { type: "ask", on: false }) : button("Ask for the wheel", { type: "ask", on: true }, "main");
    rows.push(row(make("span", {}, `Visitor ${driver} drives${asked ? "; you asked" : ""}`), ask));
  }
  const focused = place.contains(document.activeElement);
  place.replaceChildren(...rows);
  if (focused) place.querySelector("button")?.focus({ focusVisible: true }); // or a pad would drive again unasked
}
