import { type Numbers, type ReportData, type Run, schemaVersion } from "./data";
import type { Floats } from "./decode";
import type { Geometry } from "./geometry";
import { UnpackedMesh, Unpacker } from "./mesh";
import type { Values } from "./raster";

/** A sensor by its number and, if it has one, its label. */
export function nameOfSensor(number: number, label?: string): string {
  return `sensor ${number}${label ? ` (${label})` : ""}`;
}

/** The embedded data with its packed numbers at hand. */
export class Report {
  readonly geometry: Geometry;
  readonly cellCount: number;
  readonly unknownCount: number;
  readonly nodeCount: number;
  private readonly mesh: UnpackedMesh;
  private readonly unpacker = new Unpacker();

  constructor(readonly data: ReportData) {
    if (data.schema !== schemaVersion) {
      throw new Error(`The data have schema ${data.schema}, this page reads schema ${schemaVersion}.`);
    }
    if (!data.runs?.length) throw new Error("The data hold no run.");
    this.mesh = new UnpackedMesh(data.mesh);
    this.geometry = this.mesh.geometry;
    this.cellCount = this.mesh.cellCount;
    this.nodeCount = this.mesh.nodeCount;
    this.unknownCount = this.mesh.unknownCount;
    for (const run of data.runs) {
      this.expect(run, "kappa", run.kappa.mean, this.unknownCount);
      if (run.u) this.expect(run, "u", run.u.mean, this.nodeCount);
    }
  }

  /** The floats of packed numbers, unpacked once. */
  floats(numbers: Numbers): Floats {
    return this.unpacker.floats(numbers);
  }

  /** What has the unknowns. */
  get support(): "cell" | "node" {
    return this.mesh.support;
  }

  /** What a cell of the maps is: of the mesh itself, or a box over several. */
  get cellName(): "cell" | "box" {
    return this.data.mesh.boxes_of ? "box" : "cell";
  }

  /** The number of the k-th sensor here among all sensors. */
  sensorNumber(k: number): number {
    const number = this.data.sensors?.number;
    return number ? this.floats(number)[k] : k;
  }

  /** What the k-th sensor here is called: "sensor 7", or "sensor 7 (north well)". */
  sensorName(k: number): string {
    return nameOfSensor(this.sensorNumber(k), this.data.sensors?.label?.[k]);
  }

  /** Values of unknowns as a field on the mesh. */
  fieldOf(values: Floats): Values {
    return this.mesh.fieldOf(values);
  }

  /** One draw out of several, one after the other. */
  draw(numbers: Numbers, index: number, size: number): Floats {
    return this.floats(numbers).subarray(index * size, (index + 1) * size);
  }

  private expect(run: Run, what: string, numbers: Numbers, length: number): void {
    const found = this.floats(numbers).length;
    if (found !== length) {
      throw new Error(`${run.name}: ${what} has ${found} values, but the mesh needs ${length}.`);
    }
  }
}
