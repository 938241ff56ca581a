import { h, s } from "./dom";
import { currentTheme, fontStack, isPrinting, light, onThemeChange, type Theme } from "./theme";

export interface FigureOptions {
  /** Name of saved files, and of the element. */
  id: string;
  title: string;
  caption?: (() => string) | string;
  controls?: (Node | undefined)[];
  /** Draws for the page. */
  draw: (theme: Theme, width: number) => Element;
  /** Draws for a file; the same as for the page unless given. */
  drawForFile?: (theme: Theme, width: number) => SVGSVGElement;
  /** Width for paper, where figures are drawn anew; they only shrink unless given. */
  printWidth?: number;
  /** Width of files; that on the page, within limits, unless given. */
  fileWidth?: number;
  /** Beside the title. */
  mark?: Node | undefined;
  /** Under the caption. */
  after?: Node | undefined;
}

const figures = new Set<Figure>();
onThemeChange(() => {
  for (const figure of figures) figure.update();
});

/** A drawing with its title, controls, caption, and buttons that save it. Redraws itself when its width changes. */
export class Figure {
  readonly element: HTMLElement;
  private readonly body = h("div", { class: "figure-body" });
  private readonly caption = h("p");
  private width = 0;

  constructor(private readonly options: FigureOptions) {
    const save = (format: "svg" | "png") =>
      h(
        "button",
        {
          type: "button",
          class: "save",
          "aria-label": `Save “${options.title}” as ${format.toUpperCase()}`,
          click: () => void this.save(format),
        },
        format.toUpperCase(),
      );
    this.element = h(
      "figure",
      { id: options.id },
      h(
        "div",
        { class: "figure-head" },
        h("h3", {}, options.title),
        options.mark,
        h("div", { class: "saves" }, h("span", { "aria-hidden": "true" }, "Save "), save("svg"), save("png")),
      ),
      options.controls?.some(Boolean) &&
        h("div", { class: "controls" }, ...options.controls.filter((c): c is Node => Boolean(c))),
      this.body,
      options.caption !== undefined && h("figcaption", {}, this.caption),
      options.after,
    );
    figures.add(this);
    new ResizeObserver(() => {
      const width = Math.floor(this.body.clientWidth);
      if (width > 0 && width !== this.width) this.update();
    }).observe(this.body);
  }

  update(): void {
    if (!this.element.isConnected) {
      if (this.width > 0) figures.delete(this);
      return;
    }
    this.width = Math.floor(this.body.clientWidth);
    if (this.width <= 0) return;
    const drawing = this.options.draw(currentTheme(), (isPrinting() && this.options.printWidth) || this.width);
    if (drawing instanceof SVGSVGElement) drawing.setAttribute("aria-label", this.options.title);
    this.body.replaceChildren(drawing);
    const { caption } = this.options;
    if (caption !== undefined) this.caption.textContent = typeof caption === "string" ? caption : caption();
  }

  /** The drawing as a file of its own: on white, whatever the page looks like. */
  svg(): SVGSVGElement {
    const width = this.options.fileWidth ?? Math.max(480, Math.min(this.width, 760));
    const draw = this.options.drawForFile ?? (this.options.draw as (theme: Theme, width: number) => SVGSVGElement);
    const svg = draw(light, width);
    svg.setAttribute("xmlns", "http://www.w3.org/2000/svg");
    svg.style.fontFamily = fontStack;
    svg.style.color = light.text;
    svg.style.removeProperty("background");
    svg.prepend(
      s("title", {}, this.options.title),
      s("rect", { width: svg.getAttribute("width") ?? 0, height: svg.getAttribute("height") ?? 0, fill: "white" }),
    );
    return svg;
  }

  private async save(format: "svg" | "png"): Promise<void> {
    const svg = this.svg();
    const text = new XMLSerializer().serializeToString(svg);
    if (format === "svg") {
      download(new Blob([text], { type: "image/svg+xml" }), `${this.options.id}.svg`);
      return;
    }
    const scale = 3;
    const image = new Image();
    image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`;
    await image.decode();
    const canvas = h("canvas", {
      width: Math.round(Number(svg.getAttribute("width")) * scale),
      height: Math.round(Number(svg.getAttribute("height")) * scale),
    });
    canvas.getContext("2d")!.drawImage(image, 0, 0, canvas.width, canvas.height);
    canvas.toBlob((blob) => {
      if (blob) download(blob, `${this.options.id}.png`);
    }, "image/png");
  }
}

function download(blob: Blob, name: string): void {
  const url = URL.createObjectURL(blob);
  h("a", { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

/** A choice of one out of several, as a row of radio buttons. */
export function choice<T extends string | number>(
  label: string,
  options: { value: T; label: string }[],
  selected: T,
  onChange: (value: T) => void,
): HTMLElement {
  const name = `choice-${++choices}`;
  return h(
    "fieldset",
    { class: "choice" },
    h("legend", {}, label),
    ...options.map(({ value, label: text }) =>
      h(
        "label",
        {},
        h("input", {
          type: "radio",
          name,
          value: String(value),
          checked: value === selected,
          change: () => onChange(value),
        }),
        h("span", {}, text),
      ),
    ),
  );
}
let choices = 0;

/** A slider with its value in words. */
export function slider(options: {
  id: string;
  label: string;
  min: number;
  max: number;
  step: number;
  value: number;
  text: (value: number) => string;
  onInput: (value: number) => void;
}): { element: HTMLElement; input: HTMLInputElement } {
  const output = h("output", {}, options.text(options.value));
  const input = h("input", {
    type: "range",
    id: options.id,
    min: options.min,
    max: options.max,
    step: options.step,
    value: options.value,
    "aria-valuetext": options.text(options.value),
    input: () => {
      const value = Number(input.value);
      output.textContent = options.text(value);
      input.setAttribute("aria-valuetext", options.text(value));
      options.onInput(value);
    },
  });
  return { element: h("label", { class: "slider" }, h("span", {}, options.label), input, output), input };
}

export function checkbox(label: string, checked: boolean, onChange: (checked: boolean) => void): HTMLElement {
  const input = h("input", { type: "checkbox", checked, change: () => onChange(input.checked) });
  return h("label", { class: "check" }, input, h("span", {}, label));
}
