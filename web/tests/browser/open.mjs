// Fills the template as varimesh does, and opens the result from disk in Debian's Chromium.

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { chromium } from "playwright-core";
import { fixture } from "../../fixtures/make.mjs";

const web = join(dirname(fileURLToPath(import.meta.url)), "../..");
export const out = join(web, "tests/out");
export const marker = "@VARIMESH_REPORT_DATA@";

export const template = (page = "report") => readFileSync(join(web, `dist/${page}.html`), "utf8");

const written = new Set();

/** Writes the report (or document) of a fixture, or of other JSON, and returns its address. Once only: tests run side by side. */
export function writeReport(name, json, page = "report") {
  const file = join(out, `${name}.html`);
  if (!written.has(name)) {
    mkdirSync(out, { recursive: true });
    writeFileSync(
      file,
      template(page).replace(marker, () => json ?? fixture(name)),
    );
    written.add(name);
  }
  return pathToFileURL(file).href;
}

export const writeDocument = (name, json) => writeReport(name, json, "document");

export function launch() {
  return chromium.launch({
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    args: ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"],
  });
}

/** Waits until all figures of the page are drawn, and drawn again if that changed their width. */
export async function drawn(page) {
  await page.waitForFunction(() => [...document.querySelectorAll(".figure-body")].every((body) => body.firstChild));
  await page.evaluate(async () => {
    for (let frame = 0; frame < 3; frame++) await new Promise(requestAnimationFrame);
  });
}

/** Opens a report; `problems` collects whatever a good page does not do. */
export async function open(browser, url, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
  const page = await context.newPage();
  const problems = [];
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) problems.push(`console: ${message.text()}`);
  });
  page.on("pageerror", (error) => problems.push(`error: ${error.message}`));
  page.on("request", (request) => {
    if (request.url() !== url && !/^(data|blob):/.test(request.url())) problems.push(`request: ${request.url()}`);
  });
  await page.goto(url);
  await drawn(page);
  return { page, problems, close: () => context.close() };
}
