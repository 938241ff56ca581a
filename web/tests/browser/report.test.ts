import { statSync } from "node:fs";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { build } from "../../build.mjs";
import { fixture } from "../../fixtures/make.mjs";
import type { ReportData } from "../../src/data";
import { Report } from "../../src/model";
import { colorsOfMaps, fingerprint, move, pathsOfCharts, saveAll, scrollsSideways } from "./look";
import { launch, marker, open, out, template, writeReport } from "./open.mjs";

let browser: Browser;
beforeAll(async () => {
  build();
  browser = await launch();
});
afterAll(() => browser?.close());

describe("the template", () => {
  it("is small, and has its marker once", () => {
    expect(template().length).toBeLessThan(400_000);
    expect(template().split(marker).length).toBe(2);
    expect(template()).not.toMatch(/<(script|link)[^>]+(src|href)="(?!data:)/);
  });

  it("says so if there are no data", async () => {
    const { page, close } = await open(browser, writeReport("broken", "not json"));
    expect(await page.textContent("h1")).toBe("This report cannot be shown");
    await close();
  });

  it("runs no script but its own, even if one gets in", async () => {
    const foreign =
      "</script><script>document.title = 'foreign'</script><img src=data: onerror=\"document.title='foreign'\">";
    const { page, problems, close } = await open(browser, writeReport("foreign-script", foreign));
    expect(await page.title()).not.toBe("foreign");
    expect(problems.filter((problem) => problem.includes("Content Security Policy")).length).toBeGreaterThan(0);
    await close();
  });

  it("is not led astray by names with markup", async () => {
    const json = fixture("line").replace("Conductivity of a rod", "\\u003c/script>\\u003cimg src=x onerror=alert(1)>");
    const { page, problems, close } = await open(browser, writeReport("markup", json));
    expect(await page.textContent("h1")).toBe("</script><img src=x onerror=alert(1)>");
    expect(await page.$$("img")).toHaveLength(0);
    expect(problems).toEqual([]);
    await close();
  });
});

describe("the order of sections", () => {
  const top = (selector: string) => `document.querySelector("${selector}").getBoundingClientRect().top`;

  it("has maps before checks on a phone, the verdict first, and the matrix below the quantities", async () => {
    const data = JSON.parse(fixture("plate")) as ReportData;
    data.runs[0].verdict = "Use it.";
    data.runs[0].known = { sentence: "Known in parts.", share: data.runs[0].kappa.sd };
    for (const [width, mapsFirst] of [
      [360, true],
      [1280, false],
    ] as const) {
      const options = { viewport: { width, height: 740 } };
      const { page, close } = await open(browser, writeReport("order", JSON.stringify(data)), options);
      expect(await page.evaluate(`${top("#fields")} < ${top("#trust")}`)).toBe(mapsFirst);
      expect(await page.isVisible(".narrow-verdict")).toBe(mapsFirst);
      expect(await page.evaluate(`${top("#quantities")} < ${top("#precision-matrix")}`)).toBe(true);
      expect(await page.textContent("figure#kappa .known")).toBe("Known in parts.");
      await close();
    }
  });
});

describe("the trust panel", () => {
  it("begins with what the answer can be used for, and explains its words", async () => {
    const { page, problems, close } = await open(browser, writeReport("words", fixture("line")));
    expect(await page.textContent("#trust .lead")).toBe(
      "The answer can be used, for the field and for every quantity.",
    );
    expect(await page.getAttribute("#trust abbr:text('R-hat')", "title")).toContain("Above 1.01");
    expect(await page.textContent("#trust .glossary dt")).toBe("k-hat");
    expect(problems).toEqual([]);
    await close();
  });
});

describe.each([
  ["line", 9, 0],
  ["plate", 4, 6],
  ["nodes", 5, 6],
  ["box", 5, 4],
  ["blocks", 5, 4],
])("the report of %s", (name, charts, maps) => {
  it.each([
    ["a screen", {}],
    ["a dark screen", { colorScheme: "dark" }],
    ["a phone", { viewport: { width: 360, height: 740 } }],
  ])("is drawn on %s, without trouble", async (_, options) => {
    const { page, problems, close } = await open(browser, writeReport(name), options);
    const drawn = await pathsOfCharts(page);
    expect(drawn.length).toBeGreaterThanOrEqual(charts);
    for (const paths of drawn) expect(paths).toBeGreaterThan(0);
    const painted = await colorsOfMaps(page);
    expect(painted.length).toBe(maps);
    for (const colors of painted) expect(colors).toBeGreaterThan(10);
    expect(await page.$$eval("canvas.pixelated", (all) => all.length)).toBe(1);
    expect(await scrollsSideways(page)).toBe(false);
    const background = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    expect(background).toBe("colorScheme" in options ? "rgb(21, 24, 28)" : "rgb(255, 255, 255)");
    expect(problems).toEqual([]);
    await close();
  });
});

describe("a report", () => {
  const bare = (name: string, kappa: null | number) => {
    const { runs, comparisons, sensors, truth, ...rest } = JSON.parse(fixture(name)) as ReportData;
    const { id, description, seconds, solves } = runs[0];
    const values = new Array(new Report({ ...rest, runs }).unknownCount).fill(kappa);
    const field = { mean: values, sd: values, q05: values, q50: values, q95: values };
    const run = {
      id,
      name: "Bare",
      description,
      status: "diverged",
      message: "",
      seconds,
      solves,
      kappa: field,
      verdict: "Nothing was checked.",
      trust: [],
    };
    return JSON.stringify({ ...rest, runs: [run] });
  };

  it.each(["line", "plate", "box"])("of %s may lack whatever is optional", async (name) => {
    for (const kappa of [1, null]) {
      const { page, problems, close } = await open(browser, writeReport(`bare-${name}-${kappa}`, bare(name, kappa)));
      expect(await page.textContent("#trust .lead")).toBe("Nothing was checked.");
      expect(await page.$$("#kappa svg")).toHaveLength(1);
      expect(await page.$$("#draws, #data-fit, #trace, #quantities, #precision-matrix")).toHaveLength(0);
      expect(problems).toEqual([]);
      await close();
    }
  });
});

describe("the table of runs", () => {
  it("has limits and diagnostics, and a dash where there are none", async () => {
    const { page, close } = await open(browser, writeReport("line"));
    const rows = await page.$$eval(".runs-table tr", (all) =>
      all.map((row) => [...row.children].map((cell) => cell.textContent)),
    );
    const of = (head: string) => rows.find((row) => row[0] === head)?.slice(1);
    expect(of("Method")).toEqual(["PMVB", "MFVB", "NUTS"]);
    expect(of("k-hat")).toEqual(["0.31 (good; limit 0.67)", "1.3 (bad; limit 0.67)", "–"]);
    expect(of("E-BFMI")).toEqual(["–", "–", "0.91"]);
    expect(of("Accepted")).toEqual(["–", "–", "83 %"]);
    await close();
  });

  it("of quantities lists those without a density", async () => {
    const data = JSON.parse(fixture("line")) as ReportData;
    for (const run of data.runs) for (const quantity of run.quantities ?? []) delete quantity.density;
    data.runs[0].quantities![0].mean = null;
    const { page, problems, close } = await open(browser, writeReport("no-density", JSON.stringify(data)));
    expect(await page.$$("#quantities figure")).toHaveLength(0);
    expect(await page.textContent("#quantities tbody tr:first-child td:nth-child(3)")).toBe("–");
    expect(problems).toEqual([]);
    await close();
  });
});

describe("controls", () => {
  it("walk through draws", async () => {
    const { page, problems, close } = await open(browser, writeReport("plate"));
    const before = [await fingerprint(page, "#draw-kappa canvas"), await fingerprint(page, "#draw-solution canvas")];
    await page.focus("#draw");
    await page.keyboard.press("ArrowRight");
    expect(await page.textContent("#draws output")).toBe("2 of 30");
    expect(await fingerprint(page, "#draw-kappa canvas")).not.toBe(before[0]);
    expect(await fingerprint(page, "#draw-solution canvas")).not.toBe(before[1]);
    expect(problems).toEqual([]);
    await close();
  });

  it("switch fields and methods, and read values", async () => {
    const { page, problems, close } = await open(browser, writeReport("plate"));
    const mean = await fingerprint(page, "#kappa canvas");
    await page.check('#kappa input[value="sd"]', { force: true });
    expect(await fingerprint(page, "#kappa canvas")).not.toBe(mean);
    await page.hover("#kappa canvas", { position: { x: 20, y: 20 } });
    expect(await page.textContent("#kappa .readout")).toMatch(/κ, posterior sd: [\d.]+ at x = .*cell \d+/);
    await page.focus("#solution canvas");
    await page.keyboard.press("Shift+ArrowRight");
    expect(await page.textContent("#solution .readout")).toContain("x = 0.5");
    await page.check('.runs input[value="1"]', { force: true });
    expect(await page.textContent(".description")).toContain("NUTS");
    expect(await page.textContent("#trace h3")).toContain("chain by chain");
    expect(problems).toEqual([]);
    await close();
  });

  it("unfold the settings of a run", async () => {
    const { page, problems, close } = await open(browser, writeReport("line"));
    expect(await page.isVisible(".settings table")).toBe(false);
    await page.click(".settings summary");
    const rows = await page.$$eval(".settings tr", (all) =>
      all.map((row) => [...row.children].map((cell) => cell.textContent).join(": ")),
    );
    expect(rows).toEqual(["use: pmvb", "fit.tolerance: 0.01", "first_derivatives_only: no"]);
    expect(problems).toEqual([]);
    await close();
  });

  it("show numbers of charts under the pointer", async () => {
    const { page, problems, close } = await open(browser, writeReport("line"));
    const tips = () =>
      page.$$eval('#kappa [aria-label="tip"] text', (all) => all.map((text) => text.textContent).join());
    expect(await tips()).toBe("");
    await page.hover("#kappa svg", { position: { x: 400, y: 150 } });
    expect(await tips()).toMatch(/κ = .* ± /);
    expect(problems).toEqual([]);
    await close();
  });

  it("move a slice through a solid", async () => {
    const { page, problems, close } = await open(browser, writeReport("box"));
    const middle = await fingerprint(page, "#kappa canvas");
    await move(page, "#fields #slice", 800);
    const higher = await fingerprint(page, "#kappa canvas");
    expect(higher).not.toBe(middle);
    await page.check('#fields .controls.shared input[value="0"]', { force: true });
    expect(await page.textContent("#fields output")).toBe("x = 1.60");
    expect(await fingerprint(page, "#kappa canvas")).not.toBe(higher);
    expect(problems).toEqual([]);
    await close();
  });

  it("toggle dark, and print in light", async () => {
    const { page, close } = await open(browser, writeReport("line"), { colorScheme: "dark" });
    const theme = () => page.evaluate(() => document.documentElement.dataset.theme);
    expect(await theme()).toBe("dark");
    await page.evaluate(() => window.dispatchEvent(new Event("beforeprint")));
    expect(await theme()).toBe("light");
    await page.evaluate(() => window.dispatchEvent(new Event("afterprint")));
    await page.click("#theme");
    expect(await theme()).toBe("light");
    await close();
  });

  it("stand still for those who want no motion", async () => {
    const { page, close } = await open(browser, writeReport("line"), { reducedMotion: "reduce" });
    expect(await page.locator("#draws button[aria-pressed]").count()).toBe(0);
    await close();
  });
});

describe("figures", () => {
  it.each(["line", "plate"])("of %s can all be saved", async (name) => {
    const { page, problems, close } = await open(browser, writeReport(name), { acceptDownloads: true });
    await saveAll(page, out, name);
    expect(problems).toEqual([]);
    await close();
  });
});

describe("a mesh too large for a page", () => {
  const large = (name: string): string => {
    const data = JSON.parse(fixture(name)) as ReportData;
    data.mesh.boxes_of = { count: 1_002_528, name: "triangles" };
    const sensors = new Report(data).floats(data.sensors!.mean).length;
    data.sensors!.number = Array.from({ length: sensors }, (_, k) => 10 * k + 5);
    data.sensors!.total = 10 * sensors;
    return JSON.stringify(data);
  };

  it("is said to be shown in boxes wherever there are maps", async () => {
    const { page, problems, close } = await open(browser, writeReport("boxes", large("plate")));
    const note = await page.textContent("#fields .boxes");
    expect(note).toContain("1\u202f002\u202f528 triangles");
    expect(note).toContain("weighted by area");
    expect(note).toContain("fields.vtu");
    expect(await page.textContent("#draws .boxes")).toContain("averaged over boxes");
    expect(await page.textContent("#comparison .boxes")).toContain("averaged over boxes");
    await page.hover("#kappa canvas", { position: { x: 20, y: 20 } });
    expect(await page.textContent("#kappa .readout")).toMatch(/, box \d+/);
    expect(await page.textContent("#residuals")).toMatch(/of [\d\u202f]+, evenly chosen from [\d\u202f]+0, lie within/);
    expect(problems).toEqual([]);
    await close();
  });

  it("is said so of a line, too", async () => {
    const { page, problems, close } = await open(browser, writeReport("boxes-line", large("line")));
    expect(await page.textContent("#fields .boxes")).toContain("weighted by length");
    expect(await page.textContent("#kappa")).toContain("in each box");
    expect(problems).toEqual([]);
    await close();
  });

  it("is not spoken of otherwise", async () => {
    const { page, close } = await open(browser, writeReport("plate"));
    expect(await page.$$(".boxes")).toHaveLength(0);
    await close();
  });
});

describe("a hundred thousand cells", () => {
  it("are shown within seconds, in less than 20 MB", async () => {
    const url = writeReport("large");
    expect(statSync(join(out, "large.html")).size).toBeLessThan(20e6);
    const { page, problems, close } = await open(browser, url);
    await page.waitForSelector("#comparison table");
    const before = await fingerprint(page, "#draw-kappa canvas");
    const milliseconds = await page.evaluate(() => {
      const input = document.getElementById("draw") as HTMLInputElement;
      const start = performance.now();
      input.value = "5";
      input.dispatchEvent(new Event("input"));
      return performance.now() - start;
    });
    expect(await fingerprint(page, "#draw-kappa canvas")).not.toBe(before);
    expect(milliseconds).toBeLessThan(2000);
    expect(problems).toEqual([]);
    await close();
  });
});
