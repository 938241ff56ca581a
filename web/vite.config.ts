import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { defineConfig, type Plugin } from "vite";

/** What is built, a page at a time: report or document. */
const input = `${process.env.VARIMESH_PAGE ?? "report"}.html`;

/** The licences of the packages that these modules come from: names and copyrights, then each text once. */
function licences(modules: string[]): string {
  const folders = new Set(modules.flatMap((id) => /^.*\/node_modules\/(@[^/]+\/)?[^/]+/.exec(id)?.[0] ?? []));
  const holders = new Map<string, string[]>();
  for (const folder of [...folders].sort()) {
    const { name, version } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
    const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
    if (!file) throw new Error(`${name} comes without the text of its licence`);
    const lines = readFileSync(join(folder, file), "utf8").split("\n");
    const isHolder = (line: string) => /^\s*copyright.*\d/i.test(line);
    const text = lines.filter((line) => !isHolder(line)).join("\n");
    const key = text
      .replace(/^.*licen[cs]e.*$/im, "")
      .replace(/\s+/g, " ")
      .trim();
    const entry = `${name} ${version}: ${lines.filter(isHolder).join(" ").trim()}`;
    holders.set(key, [...(holders.get(key) ?? []), entry]);
  }
  return [...holders].map(([text, entries]) => `${entries.join("\n")}\n\n${text}`).join("\n\n");
}

/** A second line of defence against markup in names: the page's own script runs and no other, and nothing is fetched. */
function policy(code: string): string {
  const hash = createHash("sha256").update(code).digest("base64");
  const rules = [
    "default-src 'none'",
    `script-src 'sha256-${hash}'`,
    "style-src 'unsafe-inline'",
    "img-src data: blob:",
    "base-uri 'none'",
    "form-action 'none'",
  ];
  return `<meta http-equiv="Content-Security-Policy" content="${rules.join("; ")}" />`;
}

/** Puts the script and the style sheet into the page, so that it is one file that opens from disk. */
function singleFile(): Plugin {
  return {
    name: "single-file",
    enforce: "post",
    generateBundle(_options, bundle) {
      const page = bundle[input];
      if (page?.type !== "asset") throw new Error(`${input} is missing from the bundle`);
      let html = String(page.source);
      for (const [name, file] of Object.entries(bundle)) {
        if (file.type === "chunk") {
          html = html.replace(/<script type="module"[^>]*><\/script>\s*/, "");
          const code = file.code.replaceAll("</script", "<\\/script").replaceAll("<!--", "<\\!--");
          html = html.replace("</body>", () => `<script>${code}</script>\n</body>`);
          html = html.replace('<meta charset="utf-8" />', (charset) => `${charset}\n    ${policy(code)}`);
          const notice = licences(Object.keys(file.modules)).replaceAll("<", "(").replaceAll(">", ")");
          html = html.replace(
            "</body>",
            () => `<script type="text/plain" id="licences">\n${notice}\n</script>\n</body>`,
          );
          delete bundle[name];
        } else if (name.endsWith(".css")) {
          html = html.replace(/<link rel="stylesheet"[^>]*>/, () => `<style>${String(file.source)}</style>`);
          delete bundle[name];
        }
      }
      page.source = html;
    },
  };
}

/** While developing, shows a fixture: `npx vite`, then report.html?fixture=plate or document.html. */
function fixtureData(): Plugin {
  return {
    name: "fixture-data",
    apply: "serve",
    transformIndexHtml(html, context) {
      const usual = context.path.includes("document") ? "paper" : "plate";
      const name = new URL(context.originalUrl ?? "/", "file:///").searchParams.get("fixture") ?? usual;
      return html.replace("@VARIMESH_REPORT_DATA@", () =>
        readFileSync(`fixtures/out/${name.replace(/\W/g, "")}.json`, "utf8"),
      );
    },
  };
}

export default defineConfig({
  plugins: [singleFile(), fixtureData()],
  build: {
    target: "es2022",
    emptyOutDir: false,
    modulePreload: false,
    cssCodeSplit: false,
    reportCompressedSize: false,
    rollupOptions: { input, output: { format: "iife" } },
  },
  test: {
    include: ["tests/**/*.test.ts"],
    testTimeout: 60_000,
    hookTimeout: 180_000,
    fileParallelism: false,
    // Tests mostly wait for the browser, which draws several pages at once.
    sequence: { concurrent: true },
    maxConcurrency: 4,
  },
} as Parameters<typeof defineConfig>[0]);
