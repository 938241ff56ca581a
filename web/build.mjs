// npm run build: makes dist/report.html, unless it was made of the very same files. Its time then stays as it was, and
// programs that hold it are not linked again.

import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";

const web = dirname(fileURLToPath(import.meta.url));
const page = join(web, "dist/report.html");
const stamp = join(web, "dist/report.sha256");

const filesOf = (path) =>
  statSync(path).isDirectory() ? readdirSync(path).flatMap((name) => filesOf(join(path, name))) : [path];

/** Changes with every file that the page is made of, and with the page, should somebody have changed it. */
function fingerprint() {
  const inputs = ["src", "report.html", "package-lock.json", "vite.config.ts"].flatMap((name) =>
    filesOf(join(web, name)),
  );
  const hash = createHash("sha256");
  for (const file of [...inputs.sort(), page]) hash.update(`${relative(web, file)}\0`).update(readFileSync(file));
  return hash.digest("hex");
}

export function build() {
  if (existsSync(page) && existsSync(stamp) && readFileSync(stamp, "utf8") === fingerprint()) return;
  const vite = join(web, "node_modules/vite/bin/vite.js");
  execFileSync(process.execPath, [vite, "build", "--logLevel", "warn"], { cwd: web, stdio: "inherit" });
  writeFileSync(stamp, fingerprint());
}

if (process.argv[1] === fileURLToPath(import.meta.url)) build();
