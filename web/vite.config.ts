import { readFileSync } from "node:fs";
import { defineConfig, type Plugin } from "vite";

/** Puts the script and the style sheet into the page, so that the report is one file that opens from disk. */
function singleFile(): Plugin {
  return {
    name: "single-file",
    enforce: "post",
    generateBundle(_options, bundle) {
      const page = bundle["report.html"];
      if (page?.type !== "asset") throw new Error("report.html is missing from the bundle");
      let html = String(page.source);
      for (const [name, file] of Object.entries(bundle)) {
        if (file.type === "chunk") {
          html = html.replace(/<script type="module"[^>]*><\/script>\s*/, "");
          const code = file.code.replaceAll("</script", "<\\/script").replaceAll("<!--", "<\\!--");
          html = html.replace("</body>", () => `<script>${code}</script>\n</body>`);
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

/** While developing, shows a fixture: `npx vite`, then report.html?fixture=plate. */
function fixtureData(): Plugin {
  return {
    name: "fixture-data",
    apply: "serve",
    transformIndexHtml(html, context) {
      const name = new URL(context.originalUrl ?? "/", "file:///").searchParams.get("fixture") ?? "plate";
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
    modulePreload: false,
    cssCodeSplit: false,
    reportCompressedSize: false,
    rollupOptions: { input: "report.html", output: { format: "iife" } },
  },
  test: { include: ["tests/**/*.test.ts"], testTimeout: 60_000, hookTimeout: 180_000, fileParallelism: false },
} as Parameters<typeof defineConfig>[0]);
