// As much of a page as the kiosk uses.

/** An element. */
class Element {
  constructor(tag, id = "", hidden = false) {
    Object.assign(this, { tag, id, hidden, disabled: false, textContent: "", children: [], onclick: null });
  }

  replaceChildren(...children) {
    this.children = children;
  }
}

/** The elements of a page that have an id, in the order in which they stand. */
export class Page {
  constructor(html) {
    const found = html.matchAll(/<(\w+) id="(\w+)"( hidden)?>/g);
    const element = ([, tag, id, hidden]) => [id, new Element(tag, id, hidden !== undefined)];
    this.elements = new Map(Array.from(found, element));
  }

  getElementById(id) {
    return this.elements.get(id) ?? null;
  }

  createElement(tag) {
    return new Element(tag);
  }

  /** What can be seen. */
  get shown() {
    const sections = [...this.elements.values()].filter(({ tag, hidden }) => tag === "section" && !hidden);
    const text = (id) => this.elements.get(id).textContent;
    return {
      screens: sections.map(({ id }) => id),
      banks: this.elements.get("list").children.map(({ textContent }) => textContent),
      outcome: text("outcome"),
      problem: this.elements.get("problem").hidden ? "" : text("problem"),
    };
  }

  /** Touches a button, by its id or its text. */
  async touch(name) {
    const buttons = [...this.elements.values(), ...this.elements.get("list").children];
    const button = buttons.find(({ id, textContent }) => id === name || textContent === name);
    if (!button.disabled) await button.onclick();
  }
}
