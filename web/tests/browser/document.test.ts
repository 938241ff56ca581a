import { readFileSync } from "node:fs";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { build } from "../../build.mjs";
import { fixture } from "../../fixtures/make.mjs";
import type { DocumentData, FigureBlock } from "../../src/document/data";
import { expectDocument, saveAll, wrongNumbers } from "./look";
import { launch, marker, open, out, template, writeDocument } from "./open.mjs";

let browser: Browser;
beforeAll(async () => {
  build();
  browser = await launch();
});
afterAll(() => browser?.close());

const paper = (): DocumentData => JSON.parse(fixture("paper"));
const figureOf = (data: DocumentData, id: string) =>
  data.sections
    .flatMap(({ blocks }) => blocks)
    .find((block) => block.type === "figure" && block.id === id) as FigureBlock;

describe("the template of documents", () => {
  it("is small, and has its marker once", () => {
    expect(template("document").length).toBeLessThan(200_000);
    expect(template("document").split(marker).length).toBe(2);
    expect(template("document")).not.toMatch(/<(script|link)[^>]+(src|href)="(?!data:)/);
  });

  it.each([
    ["missing", "not json", "Its data are missing or damaged."],
    ["those of a report", fixture("line"), "The data are not those of a document."],
    [
      "of another schema",
      JSON.stringify({ ...paper(), schema: 7 }),
      "The data have schema 7, this page reads schema 1.",
    ],
  ])("says so if data are %s", async (name, json, words) => {
    const { page, close } = await open(browser, writeDocument(`no-document-${name.replaceAll(" ", "-")}`, json));
    expect(await page.textContent("h1")).toBe("This document cannot be shown");
    expect(await page.textContent("main p")).toBe(words);
    await close();
  });

  it("runs no script but its own, even if one gets in", async () => {
    const foreign =
      "</script><script>document.title = 'foreign'</script><img src=data: onerror=\"document.title='foreign'\">";
    const { page, problems, close } = await open(browser, writeDocument("foreign-script-document", foreign));
    expect(await page.title()).not.toBe("foreign");
    expect(problems.filter((problem) => problem.includes("Content Security Policy")).length).toBeGreaterThan(0);
    await close();
  });

  it("is not led astray by names with markup", async () => {
    const data = paper();
    data.title = "</script><img src=x onerror=alert(1)>";
    figureOf(data, "flux").columns = ["<b>one</b>", "two", "three"];
    const json = JSON.stringify(data).replaceAll("<", "\\u003c");
    const { page, problems, close } = await open(browser, writeDocument("document-markup", json));
    expect(await page.textContent("h1")).toBe(data.title);
    expect(await page.$$("img, main b")).toHaveLength(0);
    expect(problems).toEqual([]);
    await close();
  });
});

describe("the document", () => {
  it.each([
    ["a screen", {}],
    ["a wide screen", { viewport: { width: 1700, height: 1000 } }],
    ["a dark screen", { colorScheme: "dark" }],
    ["a phone", { viewport: { width: 390, height: 800 } }],
  ])("is drawn on %s, without trouble", async (_, options) => {
    const { page, problems, close } = await open(browser, writeDocument("paper"), options);
    await expectDocument(page, paper());
    const background = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    expect(background).toBe("colorScheme" in options ? "rgb(21, 24, 28)" : "rgb(255, 255, 255)");
    expect(problems).toEqual([]);
    await close();
  });

  it("labels shared axes at the outer edge only, and shares colours", async () => {
    const { page, close } = await open(browser, writeDocument("paper"));
    const texts = await page.$$eval("#kappa-1d svg text", (all) => all.map((text) => text.textContent));
    expect(texts.filter((text) => text === "x")).toHaveLength(5);
    expect(texts.filter((text) => text === "κ")).toHaveLength(3);
    expect(texts.filter((text) => text === "−2")).toHaveLength(3);
    const labels = await page.$$eval("#fields-2d svg text", (all) => all.map((text) => text.textContent));
    expect(labels.filter((text) => text === "sd of κ")).toHaveLength(2);
    await close();
  });

  it("gives a method the same colour in all figures", async () => {
    const { page, close } = await open(browser, writeDocument("paper"));
    const bar = await page.getAttribute('#error-1d [data-series="PMVB"] rect', "fill");
    const line = await page.$$eval("#flux g.panel path", (all) => all.map((path) => path.getAttribute("stroke")));
    expect(line).toContain(bar);
    await close();
  });

  it("reads values under the pointer", async () => {
    const { page, problems, close } = await open(browser, writeDocument("paper"));
    await page.hover("#error-1d svg", { position: { x: 150, y: 250 } });
    expect(await page.textContent("#error-1d .readout")).toMatch(/: \w+, 0\.1: [\d.]+ \([\d.]+ to [\d.]+\)/);
    await page.hover("#fields-2d svg", { position: { x: 120, y: 60 } });
    expect(await page.textContent("#fields-2d .readout")).toMatch(/mean of κ, HMC: cell \d+: κ = /);
    expect(problems).toEqual([]);
    await close();
  });

  it("is printed in light, with figures made for paper", async () => {
    const { page, close } = await open(browser, writeDocument("paper"), { colorScheme: "dark" });
    const width = () => page.getAttribute("#kappa-1d svg", "width");
    expect(await width()).toBe("1032");
    await page.evaluate(() => window.dispatchEvent(new Event("beforeprint")));
    expect(await width()).toBe("680");
    expect(await page.evaluate(() => document.documentElement.dataset.theme)).toBe("light");
    await page.evaluate(() => window.dispatchEvent(new Event("afterprint")));
    expect(await width()).toBe("1032");
    await close();
  });

  it("says why a figure cannot be drawn, and draws the others", async () => {
    const data = paper();
    const [panel] = figureOf(data, "kappa-1d").panels[0];
    if (panel?.kind === "band") panel.mean = [1, 2];
    const map = figureOf(data, "domain").panels[0][0];
    if (map?.kind === "map") map.mesh = "nowhere";
    const { page, problems, close } = await open(browser, writeDocument("document-broken", JSON.stringify(data)));
    const broken = await page.$$eval("figure.broken .note", (all) => all.map((note) => note.textContent));
    expect(broken).toEqual([
      "This figure cannot be drawn. There are 33 edges, not 3.",
      "This figure cannot be drawn. There is no mesh nowhere.",
    ]);
    expect(await page.$$("#u-1d svg g.panel")).toHaveLength(15);
    expect(problems).toEqual([]);
    await close();
  });

  it("may lack whatever is optional, and numbers", async () => {
    const nothing = [null, null, null];
    const bare: DocumentData = {
      schema: 1,
      kind: "document",
      title: "Bare",
      summary: [],
      generator: { version: "0" },
      sections: [
        {
          id: "s",
          title: "S",
          blocks: [
            { type: "table", columns: [{ label: "a" }], rows: [[null]] },
            {
              type: "figure",
              id: "f",
              title: "F",
              caption: "",
              panels: [
                [{ kind: "curves" }, null, { kind: "curves", lines: [{ series: "a", x: [1, 2, 3], y: nothing }] }],
                [
                  { kind: "bars", groups: [{ label: "g", bars: [{ series: "a", value: null }] }] },
                  { kind: "band", edges: [0, 1, 2, 3], mean: nothing },
                  { kind: "matrix", size: 1, values: [0] },
                ],
                [{ kind: "text", text: "none" }],
              ],
            },
          ],
        },
      ],
    };
    const { page, problems, close } = await open(browser, writeDocument("document-bare", JSON.stringify(bare)));
    expect(await page.$$("figure.broken, #verdicts")).toHaveLength(0);
    expect(await wrongNumbers(page)).toEqual([]);
    expect(problems).toEqual([]);
    await close();
  });

  it("has figures that can all be saved", async () => {
    const { page, problems, close } = await open(browser, writeDocument("paper"), { acceptDownloads: true });
    const files = await saveAll(page, out, "paper");
    for (const file of files.filter((name) => name.endsWith("svg"))) {
      const svg = readFileSync(file, "utf8");
      expect(svg).toContain('width="760"');
      expect(svg).toContain('fill="white"');
    }
    expect(problems).toEqual([]);
    await close();
  });
});
