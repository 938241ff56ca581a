// What both pages have at their ends.

import type { Generator } from "./data";
import { h } from "./dom";

interface PageWords {
  title: string;
  /** A paragraph, or several. */
  summary: string | string[];
  generator: Generator;
}

export function header({ title, summary, generator }: PageWords, onToggle: () => void): HTMLElement {
  const { version, date } = generator;
  return h(
    "header",
    {},
    h(
      "div",
      { class: "head-line" },
      h("p", { class: "kicker" }, `varimesh ${version}${date ? ` · ${date}` : ""}`),
      h(
        "button",
        { type: "button", id: "theme", click: onToggle, "aria-label": "Switch between light and dark" },
        "◐ Light / dark",
      ),
    ),
    h("h1", {}, title),
    ...[summary].flat().map((paragraph) => h("p", { class: "summary" }, paragraph)),
  );
}

export function footer({ generator }: PageWords): HTMLElement {
  return h(
    "footer",
    {},
    h("p", {}, `Made by varimesh ${generator.version}. This file holds its data and needs no network.`),
    generator.command ? h("p", {}, "Command: ", h("code", {}, generator.command)) : undefined,
  );
}

/** The embedded JSON. */
export function embedded<T>(): T {
  return JSON.parse(document.getElementById("data")?.textContent ?? "") as T;
}

/** Instead of the page, if its data are no good. */
export function apology(what: string, error: unknown, advice: string): HTMLElement[] {
  return [
    h("h1", {}, `This ${what} cannot be shown`),
    h("p", {}, error instanceof SyntaxError ? "Its data are missing or damaged." : String((error as Error).message)),
    h("p", {}, advice),
  ];
}

/** A table that scrolls sideways in itself where the screen is narrow. */
export function scroll(table: HTMLElement, label: string): HTMLElement {
  return h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": label }, table);
}
