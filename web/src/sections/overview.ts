import type { Level, ReportData, Run, Setting } from "../data";
import { h } from "../dom";
import { formatShort, sentence } from "../format";
import { explained, glossary } from "../glossary";

export function problemSection(data: ReportData): HTMLElement {
  const { problem } = data;
  const entry = (name: string, text: string) => [h("dt", {}, name), h("dd", {}, text)];
  return h(
    "section",
    { id: "problem" },
    h("h2", {}, "What was inferred from what"),
    h(
      "ul",
      { class: "facts" },
      ...problem.numbers.map(({ label, value }) =>
        h("li", {}, h("strong", {}, typeof value === "number" ? formatShort(value) : value), h("span", {}, label)),
      ),
    ),
    h(
      "dl",
      { class: "words" },
      ...entry("Equation", problem.equation),
      ...entry("Mesh", problem.mesh),
      ...entry("Sensors", problem.sensors),
      ...entry("Noise", problem.noise),
      ...entry("Prior", problem.prior),
    ),
  );
}

const marks: Record<Level, { sign: string; word: string }> = {
  good: { sign: "✓", word: "Good" },
  warn: { sign: "!", word: "Take care" },
  bad: { sign: "✕", word: "Do not trust" },
};

/** The worst verdict of a run; none if nothing was checked. */
export function worst(run: Run): Level | undefined {
  const levels = run.trust.map((item) => item.level);
  if (levels.length === 0) return undefined;
  return levels.includes("bad") ? "bad" : levels.includes("warn") ? "warn" : "good";
}

function badge(level: Level): HTMLElement {
  return h(
    "span",
    { class: `badge ${level}` },
    h("span", { class: "sign", "aria-hidden": "true" }, marks[level].sign),
    marks[level].word,
  );
}

function runTrust(run: Run): HTMLElement {
  const level = worst(run);
  const order: Level[] = ["bad", "warn", "good"];
  const items = [...run.trust].sort((one, other) => order.indexOf(one.level) - order.indexOf(other.level));
  return h(
    "details",
    { class: "trust-run", open: true },
    h(
      "summary",
      {},
      h("strong", {}, run.name),
      level && badge(level),
      h("span", { class: "muted" }, run.verdict || sentence(run.message)),
    ),
    h(
      "ul",
      {},
      ...items.map((item) =>
        h(
          "li",
          { class: item.level },
          h("span", { class: "sign", role: "img", "aria-label": marks[item.level].word }, marks[item.level].sign),
          h(
            "div",
            {},
            h("p", { class: "headline" }, ...explained(item.headline)),
            h("p", {}, ...explained(item.explanation)),
            item.action
              ? h("p", { class: "action" }, h("strong", {}, "What to do: "), ...explained(item.action))
              : undefined,
          ),
        ),
      ),
    ),
  );
}

/** What a run was set to, folded away. */
export function settingsTable(run: Run): HTMLElement | undefined {
  const settings = run.settings ?? [];
  if (settings.length === 0) return undefined;
  const text = (value: Setting["value"]) =>
    value === true ? "yes" : value === false ? "no" : typeof value === "string" ? value : formatShort(value);
  return h(
    "details",
    { class: "settings" },
    h("summary", {}, `Settings of ${run.name}`),
    h(
      "table",
      {},
      h(
        "tbody",
        {},
        ...settings.map(({ key, value }) =>
          h("tr", {}, h("th", { scope: "row" }, h("code", {}, key)), h("td", {}, text(value))),
        ),
      ),
    ),
  );
}

export function trustSection(data: ReportData): HTMLElement {
  const [first] = data.runs;
  const written = data.runs.flatMap((run) =>
    run.trust.flatMap((item) => [item.headline, item.explanation, item.action ?? ""]),
  );
  return h(
    "section",
    { id: "trust" },
    h("h2", {}, "Can this be trusted?"),
    h("p", { class: "lead" }, first?.verdict),
    ...data.runs.map(runTrust),
    glossary(written.join(" ")),
  );
}
