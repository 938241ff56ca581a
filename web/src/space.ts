import { thinned } from "./charts";
import { formatNumber, withUnit } from "./format";
import { bounds, type Patch, planeAxes, planePatch, slicePatch } from "./geometry";
import { isFlat, type MapContent } from "./map";
import type { Report } from "./model";
import type { Window2 } from "./raster";

const names = ["x", "y", "z"];
const maxSensors = 1500;

/** What maps show of the mesh: all of it in the plane, a slice in space. Shared by all maps of the page. */
export class Space {
  axis = 2;
  position = 0;
  showEdges = false;
  showSensors = true;
  private patch: Patch | undefined;
  private readonly boxes: [number, number][];

  constructor(readonly report: Report) {
    this.boxes = [0, 1, 2].slice(0, report.geometry.dimension).map((axis) => bounds(report.geometry, axis));
    if (report.geometry.dimension === 3) this.cut(2, 0.5);
  }

  get isSolid(): boolean {
    return this.report.geometry.dimension === 3;
  }

  /** Whether the maps are much wider than high, however the mesh is cut. */
  get isFlat(): boolean {
    const [x, y] = this.boxes;
    return !this.isSolid && isFlat({ x, y });
  }

  /** Cuts at a share of the way along an axis. */
  cut(axis: number, share: number): void {
    this.axis = axis;
    const [lo, hi] = this.boxes[axis];
    // Not exactly on a face, where it is a matter of rounding whether there is anything to cut.
    this.position = lo + Math.min(1 - 1e-4, Math.max(1e-4, share)) * (hi - lo);
    this.patch = undefined;
  }

  describe(): string {
    const unit = this.report.data.problem.units?.length;
    return `${names[this.axis]} = ${formatNumber(this.position, 3)}${unit ? ` ${unit}` : ""}`;
  }

  /** The part of a map's content that is about the mesh and the sensors. */
  content(): Pick<MapContent, "patch" | "window" | "axes" | "cellName" | "sensors" | "showEdges"> {
    const { report } = this;
    this.patch ??= this.isSolid ? slicePatch(report.geometry, this.axis, this.position) : planePatch(report.geometry);
    const [ix, iy] = this.isSolid ? planeAxes(this.axis) : [0, 1];
    const window: Window2 = { x: this.boxes[ix], y: this.boxes[iy] };
    const unit = report.data.problem.units?.length;
    return {
      patch: this.patch,
      window,
      axes: [withUnit(names[ix], unit), withUnit(names[iy], unit)],
      cellName: report.cellName,
      sensors: this.sensors(ix, iy),
      showEdges: this.showEdges,
    };
  }

  private sensors(ix: number, iy: number): NonNullable<MapContent["sensors"]> {
    const { sensors } = this.report.data;
    if (!sensors || !this.showSensors) return [];
    const { dimension } = this.report.geometry;
    const position = this.report.floats(sensors.position);
    const mean = this.report.floats(sensors.mean);
    const thickness = this.isSolid ? 0.125 * (this.boxes[this.axis][1] - this.boxes[this.axis][0]) : 0;
    return thinned(position.length / dimension, maxSensors)
      .filter((k) => !this.isSolid || Math.abs(position[k * dimension + this.axis] - this.position) <= thickness)
      .filter((k) => Number.isFinite(position[k * dimension + ix] + position[k * dimension + iy]))
      .map((k) => ({
        x: position[k * dimension + ix],
        y: position[k * dimension + iy],
        text: `${this.report.sensorName(k)}: ${formatNumber(mean[k])}`,
      }));
  }
}
