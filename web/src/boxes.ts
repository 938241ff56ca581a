import { h } from "./dom";
import { formatCount } from "./format";
import type { Report } from "./model";

const measures = ["length", "area", "volume"];

/** What maps show instead of a mesh that is too large for a page; nothing if they show the mesh. */
export function boxesNote(report: Report): HTMLElement | undefined {
  const { boxes_of: mesh, dimension } = report.data.mesh;
  if (!mesh) return undefined;
  const measure = measures[dimension - 1];
  return h(
    "p",
    { class: "note boxes" },
    `The mesh has ${formatCount(mesh.count)} ${mesh.name}, more than a page can hold. Shown are ${formatCount(report.cellCount)} boxes: κ, its standard deviation and its quantiles are averages of those of the ${mesh.name} in a box, weighted by ${measure} (exp(κ) is taken of the average), and u has its values at the corners of the boxes. An average of standard deviations is not the standard deviation of an average, which is no larger. All ${mesh.name} are in `,
    h("code", {}, "fields.vtu"),
    " of each method.",
  );
}

/** A word on it where more maps follow. */
export function boxesReminder(report: Report): HTMLElement | undefined {
  if (!report.data.mesh.boxes_of) return undefined;
  return h("p", { class: "note boxes" }, "κ is averaged over boxes, as above: what varies within a box is not seen.");
}
