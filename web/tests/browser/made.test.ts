// Reports that varimesh made: VARIMESH_REPORTS names a directory of them. Each is opened and looked at.

import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ReportData } from "../../src/data";
import type { DocumentData } from "../../src/document/data";
import { Report } from "../../src/model";
import { colorsOfMaps, expectDocument, fingerprint, move, pathsOfCharts, scrollsSideways } from "./look";
import { drawn, launch, open } from "./open.mjs";

const directory = process.env.VARIMESH_REPORTS;
const files = directory
  ? (readdirSync(directory, { recursive: true }) as string[]).filter((name) => name.endsWith(".html"))
  : [];

function dataOf(file: string): ReportData | DocumentData {
  const text = /<script type="application\/json" id="data">(.*?)<\/script/s.exec(readFileSync(file, "utf8"));
  return JSON.parse(text?.[1] ?? "");
}

describe.runIf(directory)("the directory of reports", () => {
  it("is not empty", () => expect(files).not.toEqual([]));
});

describe.runIf(files.length > 0)("the report", () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launch();
  });
  afterAll(() => browser?.close());

  it.each(files)("%s is drawn for every method, and its draws move", async (name) => {
    const file = join(directory!, name);
    expect(statSync(file).size).toBeLessThan(15e6);
    const data = dataOf(file);
    if ("kind" in data) {
      const { page, problems, close } = await open(browser, pathToFileURL(file).href);
      await expectDocument(page, data);
      expect(problems).toEqual([]);
      await close();
      return;
    }
    const isLine = new Report(data).geometry.dimension === 1;
    const { page, problems, close } = await open(browser, pathToFileURL(file).href);
    expect(await page.textContent("h1")).toBe(data.title);
    for (const [index, run] of data.runs.entries()) {
      if (data.runs.length > 1) await page.check(`.runs input[value="${index}"]`, { force: true });
      await drawn(page);
      expect(await page.textContent(".description")).toContain(run.name);
      for (const paths of await pathsOfCharts(page)) expect(paths).toBeGreaterThan(0);
      const maps = await colorsOfMaps(page);
      expect(maps.length > 0).toBe(!isLine);
      for (const colors of maps) expect(colors).toBeGreaterThan(1);
      expect(await page.$$("#data-fit figure")).toHaveLength(
        run.predicted && data.sensors ? (run.leave_one_out ? 3 : 2) : 0,
      );
      expect(await page.$$("#worst-sensors tbody tr")).toHaveLength(run.leave_one_out?.worst.length ?? 0);
      expect(await page.$$("#prior-alternatives tbody tr")).toHaveLength(
        run.prior_sensitivity?.alternatives.length ?? 0,
      );
      expect(await page.$$("canvas.pixelated")).toHaveLength(run.precision ? 1 : 0);
      expect(await page.$$("figure#trace")).toHaveLength(run.trace ? 1 : 0);
      if (!run.draws || run.draws.count < 2) continue;
      const picture = () =>
        isLine ? page.innerHTML("#draw-kappa .figure-body") : fingerprint(page, "#draw-kappa canvas");
      const before = await picture();
      await move(page, "#draw", 2);
      expect(await page.textContent("#draws output")).toBe(`2 of ${run.draws.count}`);
      expect(await picture()).not.toBe(before);
    }
    expect(await scrollsSideways(page)).toBe(false);
    expect(problems).toEqual([]);
    await close();
  });
});
