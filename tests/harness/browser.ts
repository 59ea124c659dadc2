import { accessSync, constants } from "node:fs";

/** Where Debian's package `chromium` puts the browser. */
export const chromiumPath = "/usr/bin/chromium";

/** Flags for a browser that runs as root and speaks to nobody but the page it is told to open. */
export const chromiumFlags: readonly string[] = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** Why no browser can be started, or undefined when one can. */
export function chromiumAbsent(): string | undefined {
  try {
    accessSync(chromiumPath, constants.X_OK);
    return undefined;
  } catch {
    return `${chromiumPath} is absent: install the package chromium`;
  }
}
