// Pictures of the fixtures' reports, to look at: node tests/browser/screenshots.mjs [name-look ...], e.g. plate-dark.

import { join } from "node:path";
import { launch, open, out, writeReport } from "./open.mjs";

const looks = {
  light: { colorScheme: "light" },
  dark: { colorScheme: "dark" },
  phone: { colorScheme: "light", viewport: { width: 375, height: 800 }, deviceScaleFactor: 2 },
};
const partHeight = 1400;
const wanted = process.argv.slice(2);
const all = ["line", "plate", "box", "blocks"].flatMap((name) => Object.keys(looks).map((look) => `${name}-${look}`));

const browser = await launch();
for (const picture of wanted.length > 0 ? wanted : all) {
  const [name, look] = picture.split("-");
  const report = await open(browser, writeReport(name), looks[look]);
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
