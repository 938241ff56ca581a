import "./style.css";
import type { ReportData } from "./data";
import { h } from "./dom";
import { choice } from "./figure";
import { sentence } from "./format";
import { Report } from "./model";
import { apology, embedded, footer, header } from "./page";
import { dataFitSection, precisionSection, traceSection } from "./sections/checks";
import { comparisonSection, quantitiesSection } from "./sections/compare";
import { drawsSection, fieldSection } from "./sections/fields";
import { otherPriorsSection } from "./sections/other_priors";
import { problemSection, settingsTable, trustSection } from "./sections/overview";
import { startTheme, toggleTheme } from "./theme";

function runSections(report: Report, container: HTMLElement, index: number): void {
  const run = report.data.runs[index];
  const sections = [
    fieldSection(report, run),
    drawsSection(report, run),
    dataFitSection(report, run),
    otherPriorsSection(report, run),
    traceSection(report, run),
    precisionSection(report, run),
  ];
  container.replaceChildren(
    h("p", { class: "muted description" }, `${run.name}: ${run.description}. ${sentence(run.message)}`),
    ...[settingsTable(run), ...sections].filter((part) => part !== undefined),
  );
}

function start(): void {
  const root = document.getElementById("report")!;
  startTheme();
  try {
    const data = embedded<ReportData>();
    const report = new Report(data);
    document.title = data.title;
    const ofRun = h("div", { id: "of-run" });
    const results = h("div", {});
    root.append(header(data, toggleTheme), problemSection(data), trustSection(data), results);
    if (data.runs.length > 1) {
      results.append(
        h(
          "nav",
          { class: "runs", "aria-label": "Method" },
          choice(
            "Method",
            data.runs.map((run, value) => ({ value, label: run.name })),
            0,
            (index) => runSections(report, ofRun, index),
          ),
        ),
      );
    }
    results.append(ofRun);
    runSections(report, ofRun, 0);
    const quantities = quantitiesSection(report);
    if (quantities) root.append(quantities);
    root.append(comparisonSection(report), footer(data));
  } catch (error) {
    root.replaceChildren(...apology("report", error, "Make it again with varimesh report."));
  }
}

start();
