// Pictures of the fixtures' reports, to look at: node tests/browser/screenshots.mjs [name-look ...], e.g. plate-dark.

import { join } from "node:path";
import { launch, open, out, writeDocument, writeReport } from "./open.mjs";

const looks = {
  light: { colorScheme: "light" },
  dark: { colorScheme: "dark" },
  phone: { colorScheme: "light", viewport: { width: 375, height: 800 }, deviceScaleFactor: 2 },
};
// As on paper of A4: 680 pixels between the margins.
looks.print = { colorScheme: "light", viewport: { width: 680, height: 1000 }, deviceScaleFactor: 2 };
const partHeight = 1400;
const wanted = process.argv.slice(2);
const all = ["line", "plate", "nodes", "box", "blocks", "paper"].flatMap((name) =>
  Object.keys(looks).map((look) => `${name}-${look}`),
);

const browser = await launch();
for (const picture of wanted.length > 0 ? wanted : all) {
  const [name, look] = picture.split("-");
  const report = await open(browser, name === "paper" ? writeDocument(name) : writeReport(name), looks[look]);
  if (look === "print") {
    await report.page.pdf({ path: join(out, `${picture}.pdf`), preferCSSPageSize: true, format: "A4" });
    await report.page.emulateMedia({ media: "print" });
    await report.page.evaluate(() => window.dispatchEvent(new Event("beforeprint")));
  }
  const { width, height } = await report.page.evaluate(() => ({
    width: document.documentElement.scrollWidth,
    height: document.documentElement.scrollHeight,
  }));
  // In parts, because a long picture is shown too small to judge.
  for (let part = 0; part * partHeight < height; part++) {
    const clip = { x: 0, y: part * partHeight, width, height: Math.min(partHeight, height - part * partHeight) };
    await report.page.screenshot({ path: join(out, `${picture}-${part}.png`), fullPage: true, clip });
  }
  for (const problem of report.problems) console.log(`${picture}: ${problem}`);
  await report.close();
}
await browser.close();
