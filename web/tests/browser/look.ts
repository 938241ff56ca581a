// What tests see of a page.

import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Download, Page } from "playwright-core";
import { expect } from "vitest";
import type { DocumentData } from "../../src/document/data";

/** The pixels of the canvases that a selector finds. Read from copies, or Chromium warns of slow reading. */
const pixels = (page: Page, selector: string) =>
  page.evaluateHandle(
    (wanted) =>
      [...document.querySelectorAll<HTMLCanvasElement>(wanted)].map((canvas) => {
        const copy = new OffscreenCanvas(canvas.width, canvas.height);
        const context = copy.getContext("2d", { willReadFrequently: true })!;
        context.drawImage(canvas, 0, 0);
        return context.getImageData(0, 0, canvas.width, canvas.height).data;
      }),
    selector,
  );

/** A number that changes with the colours of a canvas. */
export const fingerprint = async (page: Page, selector: string) =>
  (await pixels(page, selector)).evaluate(([data]) => {
    let sum = 0;
    for (let i = 0; i < data.length; i++) sum = (sum * 31 + data[i]) | 0;
    return sum;
  });

/** How many colours each map has. */
export const colorsOfMaps = async (page: Page) =>
  (await pixels(page, "canvas.field:not(.pixelated)")).evaluate((all) =>
    all.map((data) => {
      const colors = new Set<number>();
      for (let i = 0; i < data.length; i += 4)
        if (data[i + 3]) colors.add((data[i] << 16) | (data[i + 1] << 8) | data[i + 2]);
      return colors.size;
    }),
  );

/** How many paths each chart has. */
export const pathsOfCharts = (page: Page) =>
  page.$$eval(".figure-body > svg", (all) => all.map((svg) => svg.querySelectorAll("path").length));

export const scrollsSideways = (page: Page) =>
  page.evaluate(() => document.documentElement.scrollWidth > window.innerWidth);

export const move = (page: Page, selector: string, value: number) =>
  page.$eval(
    selector,
    (element, to) => {
      (element as HTMLInputElement).value = String(to);
      element.dispatchEvent(new Event("input", { bubbles: true }));
    },
    value,
  );

/** Attributes of drawings that are no numbers but should be. */
export const wrongNumbers = (page: Page) =>
  page.$$eval("figure svg *", (all) =>
    all.flatMap((one) =>
      [...one.attributes]
        .filter(({ name, value }) => name !== "href" && /NaN|Infinity|undefined/.test(value))
        .map(({ name, value }) => `${one.tagName} ${name}: ${value.slice(0, 80)}`),
    ),
  );

/** A document with all its figures drawn, its claims counted, and its links leading somewhere. */
export async function expectDocument(page: Page, data: DocumentData): Promise<void> {
  expect(await page.textContent("h1")).toBe(data.title);
  const blocks = data.sections.flatMap((section) => section.blocks);
  const figures = blocks.flatMap((block) => (block.type === "figure" ? [block] : []));
  expect(await page.$$eval("figure.broken", (all) => all.map((figure) => figure.textContent))).toEqual([]);
  const drawn = await page.$$eval("figure", (all) =>
    all.map((figure) => ({ id: figure.id, panels: figure.querySelectorAll("svg g.panel > *").length })),
  );
  expect(drawn.map(({ id }) => id)).toEqual(figures.map(({ id }) => id));
  for (const [k, { panels }] of drawn.entries()) {
    const expected = figures[k].panels.flat().filter((panel) => panel && panel.kind !== "text").length;
    expect(panels).toBeGreaterThanOrEqual(expected);
  }
  // A number that went wrong shows itself here.
  expect(await wrongNumbers(page)).toEqual([]);
  const claims = blocks.flatMap((block) => (block.type === "claims" ? block.rows : []));
  expect(await page.$$(".claims tbody tr")).toHaveLength(claims.length);
  const counts = await page.$$eval(".verdict-counts strong", (all) =>
    all.map((one) => Number(one.lastChild?.textContent)),
  );
  expect(counts.reduce((sum, count) => sum + count, 0)).toBe(claims.length);
  const dead = await page.$$eval('a[href^="#"]', (all) =>
    all.map((a) => a.getAttribute("href")!).filter((href) => !document.getElementById(href.slice(1))),
  );
  expect(dead).toEqual([]);
  expect(await page.$$("table.plain")).toHaveLength(blocks.filter((block) => block.type === "table").length);
  expect(await scrollsSideways(page)).toBe(false);
}

/** Saves every figure in both formats; names of the files, in order. */
export async function saveAll(page: Page, directory: string, prefix: string): Promise<string[]> {
  const ids = await page.$$eval("figure", (all) => all.map((figure) => figure.id));
  const downloads: Download[] = [];
  page.on("download", (download) => downloads.push(download));
  for (const [index, id] of ids.entries()) {
    for (const format of ["SVG", "PNG"]) {
      await page.focus(`figure#${id} button:text-is("${format}")`);
      await page.keyboard.press("Enter");
    }
    while (downloads.length < 2 * (index + 1)) await page.waitForEvent("download");
  }
  expect(downloads.map((download) => download.suggestedFilename()).sort()).toEqual(
    ids.flatMap((id) => [`${id}.svg`, `${id}.png`]).sort(),
  );
  return Promise.all(
    downloads.map(async (download) => {
      const file = join(directory, `${prefix}-${download.suggestedFilename()}`);
      await download.saveAs(file);
      expect(readFileSync(file, "latin1").startsWith(file.endsWith("svg") ? "<svg" : "\x89PNG")).toBe(true);
      expect(statSync(file).size).toBeGreaterThan(2000);
      return file;
    }),
  );
}
