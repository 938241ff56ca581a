// npm run build: makes dist/report.html and dist/document.html, each unless it was made of the very same files. Its time
// then stays as it was, and programs that hold it are not linked again.

import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";

const web = dirname(fileURLToPath(import.meta.url));

const filesOf = (path) =>
  statSync(path).isDirectory() ? readdirSync(path).flatMap((name) => filesOf(join(path, name))) : [path];

/** Changes with every file that a page is made of, and with the page, should somebody have changed it. */
function fingerprint(name) {
  const inputs = ["src", `${name}.html`, "package-lock.json", "vite.config.ts"]
    .flatMap((part) => filesOf(join(web, part)))
    .filter((file) => name === "document" || !file.startsWith(join(web, "src/document/")));
  const hash = createHash("sha256");
  for (const file of [...inputs.sort(), join(web, `dist/${name}.html`)])
    hash.update(`${relative(web, file)}\0`).update(readFileSync(file));
  return hash.digest("hex");
}

export function build() {
  for (const name of ["report", "document"]) {
    const stamp = join(web, `dist/${name}.sha256`);
    const isMade = existsSync(join(web, `dist/${name}.html`)) && existsSync(stamp);
    if (isMade && readFileSync(stamp, "utf8") === fingerprint(name)) continue;
    const vite = join(web, "node_modules/vite/bin/vite.js");
    execFileSync(process.execPath, [vite, "build", "--logLevel", "warn"], {
      cwd: web,
      stdio: "inherit",
      env: { ...process.env, VARIMESH_PAGE: name },
    });
    writeFileSync(stamp, fingerprint(name));
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) build();
