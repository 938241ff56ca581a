import "../style.css";
import "./document.css";
import { apology, embedded, footer, header } from "../page";
import { startTheme, toggleTheme } from "../theme";
import { contents, overview, section } from "./blocks";
import type { DocumentData } from "./data";
import { Doc } from "./model";

function start(): void {
  const root = document.getElementById("document")!;
  startTheme();
  try {
    const data = embedded<DocumentData>();
    const doc = new Doc(data);
    document.title = data.title;
    const parts = [
      header(data, toggleTheme),
      overview(doc),
      contents(doc),
      ...data.sections.map((one) => section(doc, one)),
      footer(data),
    ];
    root.append(...parts.filter((part) => part !== undefined));
    // Anchors are made after the browser has looked for them.
    if (location.hash) document.getElementById(decodeURIComponent(location.hash.slice(1)))?.scrollIntoView();
  } catch (error) {
    root.replaceChildren(...apology("document", error, "Make it again with varimesh."));
  }
}

start();
