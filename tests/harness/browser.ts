import { accessSync, constants } from "node:fs";

/** Where Debian's package `chromium` puts the browser. */
export const chromiumPath = "/usr/bin/chromium";

/** Flags for a browser that runs as root and connects only to the opened page. */
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

/** Environment of the browser: its sockets lie in the temporary folder, and a socket's path may have 107 characters only. */
export const chromiumEnvironment = (): Record<string, string> => ({ ...(process.env as Record<string, string>), TMPDIR: "/tmp" });
