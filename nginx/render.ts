/**
 * The gateway's configuration files. start.sh and those in this folder that end in .conf are used as they are; settings.conf and errors.conf are made
 * here, as is query-time.conf.
 * @module
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { consolePageFile, renderConsole } from "./console-file.ts";
import { renderErrors } from "./errors-file.ts";
import { renderQueryTime, renderSettings } from "./settings-file.ts";
import { checkGatewaySettings, type GatewaySettings } from "./settings.ts";

export type { GatewaySettings } from "./settings.ts";

/**
 * All files for /run/routeql/nginx, by name. The same settings give the same files.
 * @throws Error that names every wrong setting
 */
export function renderGateway(settings: GatewaySettings): Record<string, string> {
  checkGatewaySettings(settings);
  const files = new Map<string, string>();
  for (const name of readdirSync(import.meta.dirname).filter((name) => /\.(conf|sh)$/.test(name)).sort()) {
    files.set(name, readFileSync(join(import.meta.dirname, name), "utf8"));
  }
  const { consolePage } = settings;
  return {
    ...Object.fromEntries(files),
    "errors.conf": renderErrors(),
    "query-time.conf": renderQueryTime(settings),
    "settings.conf": renderSettings(settings),
    ...(consolePage === undefined ? {} : { "console.conf": renderConsole(consolePage), [consolePageFile]: consolePage.text }),
  };
}
