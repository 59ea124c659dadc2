import { accessSync, constants } from "node:fs";
import type { Page } from "playwright-core";

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

/** Reason why no browser can start; undefined if one can. */
export function chromiumAbsent(): string | undefined {
  try {
    accessSync(chromiumPath, constants.X_OK);
    return undefined;
  } catch {
    return `${chromiumPath} is absent: install the package chromium`;
  }
}

/** Environment of the browser. Its sockets are in the temporary folder, because a socket's path may have only 107 characters. */
export const chromiumEnvironment = (): Record<string, string> => ({
  ...(process.env as Record<string, string>),
  TMPDIR: "/tmp",
});

/**
 * Chromium aborts connections with ERR_NETWORK_CHANGED when a network interface of the machine appears or disappears, as Docker's do.
 * Only tests affected by that run again:
 *
 * const changes = new NetworkChanges();
 * describe("…", { retry: changes.retry }, () => beforeEach(() => changes.watch(page)));
 */
export class NetworkChanges {
  #seen = false;

  readonly retry = { count: 3, condition: (): boolean => this.#seen };

  /** Watches the page of the next test. */
  watch(page: Page): void {
    this.#seen = false;
    const note = (text = ""): void => {
      if (text.includes("ERR_NETWORK_CHANGED")) this.#seen = true;
    };
    page.on("requestfailed", (request) => note(request.failure()?.errorText));
    page.on("console", (message) => note(message.text()));
  }
}
