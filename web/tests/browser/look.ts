// What tests see of a page.

import type { Page } from "playwright-core";

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
