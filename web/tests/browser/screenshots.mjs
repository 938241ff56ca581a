// Pictures of the fixtures' reports, to look at: node tests/browser/screenshots.mjs [name-look ...], e.g. plate-dark.

import { join } from "node:path";
import { launch, open, out, writeReport } from "./open.mjs";

const looks = {
  light: { colorScheme: "light" },
  dark: { colorScheme: "dark" },
  phone: { colorScheme: "light", viewport: { width: 375, height: 800 }, deviceScaleFactor: 2 },
};
const wanted = process.argv.slice(2);
const all = ["line", "plate", "box", "blocks"].flatMap((name) => Object.keys(looks).map((look) => `${name}-${look}`));

const browser = await launch();
for (const picture of wanted.length > 0 ? wanted : all) {
  const [name, look] = picture.split("-");
  const report = await open(browser, writeReport(name), looks[look]);
  await report.page.screenshot({ path: join(out, `${picture}.png`), fullPage: true });
  for (const problem of report.problems) console.log(`${picture}: ${problem}`);
  await report.close();
}
await browser.close();
