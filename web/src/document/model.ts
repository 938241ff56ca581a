import type { Numbers } from "../data";
import type { Floats } from "../decode";
import { bounds, type Patch, planeAxes, planePatch, slicePatch } from "../geometry";
import { UnpackedMesh, Unpacker } from "../mesh";
import type { Values, Window2 } from "../raster";
import { type Block, type Claim, type DocumentData, type MapPanel, schemaVersion } from "./data";
import { Series, seriesOfDocument } from "./series";

/** The part of a mesh that a map shows. */
export interface View {
  mesh: UnpackedMesh;
  patch: Patch;
  window: Window2;
  /** Which coordinates are across and up. */
  axes: [number, number];
}

const blockTypes: Block["type"][] = ["text", "table", "claims", "figure"];

/** The embedded document with its packed numbers and its meshes at hand. */
export class Doc {
  readonly series: Series;
  private readonly unpacker = new Unpacker();
  private readonly meshes = new Map<string, UnpackedMesh>();
  private readonly views = new Map<string, View>();

  constructor(readonly data: DocumentData) {
    if (data.kind !== "document") throw new Error("The data are not those of a document.");
    if (data.schema !== schemaVersion) {
      throw new Error(`The data have schema ${data.schema}, this page reads schema ${schemaVersion}.`);
    }
    if (!Array.isArray(data.sections)) throw new Error("The data hold no sections.");
    const ids = new Set<string>();
    const claim = (id: string) => {
      if (ids.has(id)) throw new Error(`The name ${id} is given twice.`);
      ids.add(id);
    };
    for (const section of data.sections) {
      claim(section.id);
      for (const block of section.blocks) {
        if (!blockTypes.includes(block.type)) throw new Error(`${section.id}: no block is a “${block.type}”.`);
        if ((block.type === "figure" || block.type === "table") && block.id) claim(block.id);
      }
    }
    this.series = new Series(seriesOfDocument(data));
  }

  get claims(): Claim[] {
    return this.data.sections.flatMap((section) =>
      section.blocks.flatMap((block) => (block.type === "claims" ? block.rows : [])),
    );
  }

  floats(numbers: Numbers): Floats {
    return this.unpacker.floats(numbers);
  }

  /** The title of what an anchor leads to, if there is such a thing. */
  titleOf(anchor: string): string | undefined {
    for (const section of this.data.sections) {
      if (section.id === anchor) return section.title;
      for (const block of section.blocks) {
        if ((block.type === "figure" || block.type === "table") && block.id === anchor) return block.title ?? anchor;
      }
    }
    return undefined;
  }

  view({ mesh: name, slice }: Pick<MapPanel, "mesh" | "slice">): View {
    const key = `${name} ${slice?.axis} ${slice?.position}`;
    let view = this.views.get(key);
    if (!view) {
      const mesh = this.mesh(name);
      const { geometry } = mesh;
      if (geometry.dimension === 1) throw new Error(`The mesh ${name} is a line, of which there is no map.`);
      const axis = slice?.axis ?? 2;
      const isSolid = geometry.dimension === 3;
      const axes: [number, number] = isSolid ? planeAxes(axis) : [0, 1];
      const [lo, hi] = isSolid ? bounds(geometry, axis) : [0, 0];
      view = {
        mesh,
        patch: isSolid ? slicePatch(geometry, axis, slice?.position ?? lo + 0.5001 * (hi - lo)) : planePatch(geometry),
        window: { x: bounds(geometry, axes[0]), y: bounds(geometry, axes[1]) },
        axes,
      };
      this.views.set(key, view);
    }
    return view;
  }

  /** The field of a map; throws if there are not as many values as its mesh needs. */
  field(panel: MapPanel): Values | undefined {
    if (!panel.values) return undefined;
    const { mesh } = this.view(panel);
    const values = this.floats(panel.values);
    const at = panel.at ?? "cell";
    if (at === "node") {
      expectLength(`values of the mesh ${panel.mesh}`, values, mesh.nodeCount);
      return { at, values };
    }
    if (values.length === mesh.cellCount) return { at, values };
    expectLength(`values of the mesh ${panel.mesh}`, values, mesh.unknownCount);
    return mesh.fieldOf(values);
  }

  private mesh(name: string): UnpackedMesh {
    let mesh = this.meshes.get(name);
    if (!mesh) {
      const data = this.data.meshes?.[name];
      if (!data) throw new Error(`There is no mesh ${name}.`);
      mesh = new UnpackedMesh(data);
      this.meshes.set(name, mesh);
    }
    return mesh;
  }
}

export function expectLength(what: string, values: ArrayLike<number>, length: number): void {
  if (values.length !== length) throw new Error(`There are ${values.length} ${what}, not ${length}.`);
}
