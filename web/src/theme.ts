/** What drawings need to know about the page they are on. */
export interface Theme {
  dark: boolean;
  background: string;
  text: string;
  muted: string;
  grid: string;
  /** Colours of the methods; safe for colour-blind readers (after Okabe and Ito), always with a dash pattern. */
  palette: string[];
}

export const fontStack =
  'system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", "Noto Sans", Arial, sans-serif';

export const light: Theme = {
  dark: false,
  background: "#ffffff",
  text: "#1d2126",
  muted: "#5c6570",
  grid: "#e3e6ea",
  palette: ["#0072b2", "#c44e00", "#007f5c", "#a3478a", "#6b5b00", "#3d4a57"],
};

export const dark: Theme = {
  dark: true,
  background: "#15181c",
  text: "#e6e8eb",
  muted: "#9aa4af",
  grid: "#2c3138",
  palette: ["#56b4e9", "#f0a35a", "#3cc99b", "#e29ac8", "#e3d65c", "#b8c2cc"],
};

/** Dash patterns that go with the palette: solid, dashed, dotted, ... */
export const dashes = ["none", "7 3", "2 3", "9 3 2 3", "12 4", "4 2 1 2 1 2"];

type Choice = "auto" | "light" | "dark";
const storageKey = "varimesh-theme";
const system = matchMedia("(prefers-color-scheme: dark)");
const listeners: (() => void)[] = [];
let choice: Choice = "auto";
let printing = false;

try {
  const stored = localStorage.getItem(storageKey);
  if (stored === "light" || stored === "dark") choice = stored;
} catch {
  // Some browsers refuse storage to files on disk; the choice then lasts as long as the page.
}

export function currentTheme(): Theme {
  if (printing) return light;
  return (choice === "auto" ? system.matches : choice === "dark") ? dark : light;
}

function apply(): void {
  document.documentElement.dataset.theme = currentTheme().dark ? "dark" : "light";
  for (const listener of listeners) listener();
}

/** Whether the page is being put on paper. */
export const isPrinting = () => printing;

/** Calls back whenever colours change. */
export function onThemeChange(listener: () => void): void {
  listeners.push(listener);
}

export function toggleTheme(): void {
  choice = currentTheme().dark ? "light" : "dark";
  try {
    localStorage.setItem(storageKey, choice);
  } catch {
    // As above.
  }
  apply();
}

export function startTheme(): void {
  system.addEventListener("change", apply);
  // Paper is white.
  window.addEventListener("beforeprint", () => {
    printing = true;
    apply();
  });
  window.addEventListener("afterprint", () => {
    printing = false;
    apply();
  });
  apply();
}
