import { h } from "../dom";
import { Figure } from "../figure";
import { formatCount, formatNumber } from "../format";
import { scroll } from "../page";
import type { Theme } from "../theme";
import type { Block, Claim, ClaimsBlock, FigureBlock, Section, TableBlock, Verdict } from "./data";
import { drawFigure } from "./grid";
import type { Doc } from "./model";
import { plan } from "./scales";
import { alignOf, groupsOf } from "./tables";

/** Of figures on paper, in CSS pixels: A4 with margins of 15 mm. */
const printWidth = 680;
const fileWidth = 760;

export const verdicts: Record<Verdict, { sign: string; word: string; level: string }> = {
  holds: { sign: "✓", word: "Holds", level: "good" },
  part: { sign: "~", word: "Holds in part", level: "warn" },
  fails: { sign: "✕", word: "Does not hold", level: "bad" },
  untested: { sign: "?", word: "Not tested", level: "none" },
};

export function badge(verdict: Verdict): HTMLElement {
  const { sign, word, level } = verdicts[verdict];
  return h("span", { class: `badge ${level}` }, h("span", { class: "sign", "aria-hidden": "true" }, sign), word);
}

const paragraphs = (texts: string[]) => texts.map((text) => h("p", {}, text));

function links(doc: Doc, claim: Claim): HTMLElement[] {
  return [claim.figure ?? []].flat().flatMap((anchor, k, all) => {
    const title = doc.titleOf(anchor);
    // A document of some figures only has claims on others.
    if (!title) return [];
    const short =
      /^(Figures?|Fig\.|Tables?) ?[\w.]*\w/.exec(title)?.[0] ?? (all.length > 1 ? `Figure (${k + 1})` : "Figure");
    return h("a", { href: `#${anchor}`, title, class: "to-figure" }, short);
  });
}

export function claimsTable(doc: Doc, block: ClaimsBlock): HTMLElement {
  const cell = (head: string, ...children: (Node | string | undefined)[]) =>
    h("td", { "data-head": head }, ...children);
  return h(
    "div",
    { class: "claims" },
    block.title ? h("h3", {}, block.title) : undefined,
    h(
      "table",
      {},
      h(
        "thead",
        {},
        h("tr", {}, ...["Claim", "In the paper", "Here", "Verdict"].map((head) => h("th", { scope: "col" }, head))),
      ),
      h(
        "tbody",
        {},
        ...block.rows.map((claim) =>
          h(
            "tr",
            {},
            h("th", { scope: "row" }, claim.claim),
            cell("In the paper", claim.paper),
            cell("Here", claim.ours),
            cell(
              "Verdict",
              badge(claim.verdict),
              claim.why ? h("span", { class: "why" }, claim.why) : undefined,
              h("div", {}, ...links(doc, claim)),
            ),
          ),
        ),
      ),
    ),
  );
}

/** How many claims hold, and which; at the top of the page. */
export function overview(doc: Doc): HTMLElement | undefined {
  const { claims } = doc;
  if (claims.length === 0) return undefined;
  const order: Verdict[] = ["holds", "part", "fails", "untested"];
  const count = (verdict: Verdict) => claims.filter((claim) => claim.verdict === verdict).length;
  const counts = order.filter((verdict) => count(verdict) > 0);
  const words: Record<Verdict, string> = {
    holds: "hold",
    part: "hold in part",
    fails: "do not hold",
    untested: "not tested",
  };
  // The table itself, if the document begins with it.
  const isFirst = doc.data.sections[0]?.blocks.some((block) => block.type === "claims");
  const isOnly = doc.data.sections.filter(({ blocks }) => blocks.some(({ type }) => type === "claims")).length === 1;
  return h(
    "section",
    { id: "verdicts" },
    h("h2", {}, `Verdicts on ${formatCount(claims.length)} ${claims.length === 1 ? "claim" : "claims"}`),
    h(
      "ul",
      { class: "facts verdict-counts" },
      ...counts.map((verdict) =>
        h(
          "li",
          { class: verdicts[verdict].level },
          h(
            "strong",
            {},
            h("span", { class: "sign", "aria-hidden": "true" }, verdicts[verdict].sign),
            formatCount(count(verdict)),
          ),
          h("span", {}, words[verdict]),
        ),
      ),
    ),
    h(
      "div",
      { class: "share", "aria-hidden": "true" },
      ...counts.map((verdict) => h("span", { class: verdicts[verdict].level, style: `flex:${count(verdict)}` })),
    ),
    !(isFirst && isOnly) &&
      h(
        "ol",
        { class: "claim-list" },
        ...claims.map((claim) =>
          h(
            "li",
            { class: verdicts[claim.verdict].level },
            h(
              "span",
              { class: "sign", role: "img", "aria-label": verdicts[claim.verdict].word },
              verdicts[claim.verdict].sign,
            ),
            h("span", {}, claim.claim, " ", ...links(doc, claim)),
          ),
        ),
      ),
  );
}

export function table(block: TableBlock): HTMLElement {
  const aligns = block.columns.map((_, c) => alignOf(block, c));
  const groups = groupsOf(block.columns);
  const hasGroups = groups.some(({ group }) => group);
  const text = (value: string | number | null | undefined, c: number) =>
    typeof value === "string" ? value : formatNumber(value, block.columns[c].digits ?? 4);
  const isNewGroup = (c: number) => c > 0 && hasGroups && block.columns[c].group !== block.columns[c - 1].group;
  const classOf = (c: number) => `${aligns[c]}${isNewGroup(c) ? " new-group" : ""}`;
  return h(
    "div",
    { class: "table-block", id: block.id },
    block.title ? h("h3", {}, block.title) : undefined,
    block.caption ? h("p", { class: "caption" }, block.caption) : undefined,
    scroll(
      h(
        "table",
        { class: "plain" },
        h(
          "thead",
          {},
          hasGroups
            ? h(
                "tr",
                { class: "groups" },
                ...groups.map(({ group, span }) =>
                  group
                    ? h("th", { colspan: span, scope: "colgroup" }, h("span", {}, group))
                    : h("td", { colspan: span }),
                ),
              )
            : undefined,
          h("tr", {}, ...block.columns.map(({ label }, c) => h("th", { scope: "col", class: classOf(c) }, label))),
        ),
        h(
          "tbody",
          {},
          ...block.rows.map((row) =>
            h("tr", {}, ...block.columns.map((_, c) => h("td", { class: classOf(c) }, text(row[c], c)))),
          ),
        ),
      ),
      block.title ?? block.caption ?? "Table",
    ),
    block.note ? h("p", { class: "note" }, block.note) : undefined,
  );
}

function beside(figure: FigureBlock): HTMLElement | undefined {
  const entry = (name: string, text: string | undefined) => (text ? [h("dt", {}, name), h("dd", {}, text)] : []);
  const entries = [...entry("In the paper", figure.paper), ...entry("Here", figure.ours)];
  const level = figure.verdict ? verdicts[figure.verdict].level : "none";
  return entries.length > 0 ? h("dl", { class: `beside ${level}` }, ...entries) : undefined;
}

export function figureBlock(doc: Doc, figure: FigureBlock): HTMLElement {
  try {
    const planned = plan(doc, figure);
    const draw = (theme: Theme, width: number): HTMLElement => {
      // Letters are made for paper, and small on a wide screen.
      const zoom = width > 800 ? 1.12 : 1;
      const { svg, probe } = drawFigure(doc, planned, theme, width / zoom);
      const inner = Number(svg.getAttribute("width"));
      svg.setAttribute("width", String(width));
      svg.setAttribute("height", String(Number(svg.getAttribute("height")) * zoom));
      const readout = h("div", { class: "readout" });
      svg.addEventListener("pointermove", (event) => {
        const box = svg.getBoundingClientRect();
        const scale = inner / box.width;
        readout.textContent = probe((event.clientX - box.left) * scale, (event.clientY - box.top) * scale) ?? "";
      });
      svg.addEventListener("pointerleave", () => {
        readout.textContent = "";
      });
      return h("div", { class: "panels" }, svg, readout);
    };
    return new Figure({
      id: figure.id,
      title: figure.title,
      caption: figure.caption,
      draw,
      drawForFile: (theme, width) => drawFigure(doc, planned, theme, width).svg,
      printWidth,
      fileWidth,
      mark: figure.verdict ? badge(figure.verdict) : undefined,
      after: beside(figure),
    }).element;
  } catch (error) {
    return h(
      "figure",
      { id: figure.id, class: "broken" },
      h("div", { class: "figure-head" }, h("h3", {}, figure.title)),
      h("p", { class: "note" }, `This figure cannot be drawn. ${(error as Error).message}`),
    );
  }
}

function block(doc: Doc, one: Block): HTMLElement {
  switch (one.type) {
    case "text":
      return h("div", { class: "prose" }, ...paragraphs(one.paragraphs));
    case "table":
      return table(one);
    case "claims":
      return claimsTable(doc, one);
    case "figure":
      return figureBlock(doc, one);
  }
}

export function section(doc: Doc, { id, title, blocks }: Section): HTMLElement {
  return h("section", { id }, h("h2", {}, title), ...blocks.map((one) => block(doc, one)));
}

export function contents(doc: Doc): HTMLElement {
  const link = (anchor: string, title: string) => h("a", { href: `#${anchor}` }, title);
  return h(
    "nav",
    { class: "contents", "aria-label": "Contents" },
    h("h2", {}, "Contents"),
    h(
      "ol",
      {},
      ...doc.data.sections.map(({ id, title, blocks }) => {
        const inside = blocks.flatMap((one) =>
          (one.type === "figure" || one.type === "table") && one.id && one.title
            ? [
                h(
                  "li",
                  one.type === "figure" && one.verdict ? { class: verdicts[one.verdict].level } : {},
                  one.type === "figure" &&
                    one.verdict &&
                    h(
                      "span",
                      { class: "sign", role: "img", "aria-label": verdicts[one.verdict].word },
                      verdicts[one.verdict].sign,
                    ),
                  link(one.id, one.title),
                ),
              ]
            : [],
        );
        return h("li", {}, link(id, title), inside.length > 0 && h("ul", {}, ...inside));
      }),
    ),
  );
}
