declare module "d3-contour" {
  interface MultiPolygon {
    value: number;
    coordinates: [number, number][][][];
  }
  interface Contours {
    size(size: [number, number]): this;
    smooth(smooth: boolean): this;
    contour(values: ArrayLike<number>, threshold: number): MultiPolygon;
  }
  export function contours(): Contours;
}
