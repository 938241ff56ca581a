import type { Browser, BrowserContextOptions, Page } from "playwright-core";

export const out: string;
export const marker: string;
export function template(page?: "report" | "document"): string;
export function writeReport(name: string, json?: string): string;
export function writeDocument(name: string, json?: string): string;
export function drawn(page: Page): Promise<void>;
export function launch(): Promise<Browser>;
export function open(
  browser: Browser,
  url: string,
  options?: BrowserContextOptions | Record<string, unknown>,
): Promise<{ page: Page; problems: string[]; close: () => Promise<void> }>;
