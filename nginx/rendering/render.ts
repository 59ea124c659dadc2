/**
 * The gateway's configuration files. The files in ../configuration are used unchanged; addresses.sh, settings.conf, query-time.conf, errors.conf,
 * master-key.conf, proxy-master-key.conf and gateway-key.conf are rendered here.
 * The folders of ../configuration group files by concern; in the container all files lie in one folder. nginx loads ../metrics where metrics are
 * switched on.
 */
import { globSync, readFileSync } from "node:fs";
import { basename, resolve } from "node:path";
import { renderErrors } from "./errors-file.ts";
import {
  renderAddresses,
  renderMasterKey,
  renderProxyMasterKey,
  renderQueryTime,
  renderSettings,
} from "./settings-file.ts";
import { checkGatewaySettings, type GatewaySettings } from "./settings.ts";

export { renderGatewayKey } from "./settings-file.ts";
export type { GatewaySettings } from "./settings.ts";

/** Absolute paths of the files that are used unchanged, sorted by file name. */
export function configurationFiles(): readonly string[] {
  const folder = resolve(import.meta.dirname, "../configuration");
  return globSync("**/*.{conf,sh}", { cwd: folder })
    .toSorted((one, other) => (basename(one) < basename(other) ? -1 : 1))
    .map((path) => resolve(folder, path));
}

const rendered = {
  "addresses.sh": renderAddresses,
  "errors.conf": renderErrors,
  "query-time.conf": renderQueryTime,
  "settings.conf": renderSettings,
  "master-key.conf": renderMasterKey,
  "proxy-master-key.conf": renderProxyMasterKey,
} as const satisfies Readonly<Record<string, (settings: GatewaySettings) => string>>;

export const renderedNames = Object.keys(rendered) as readonly (keyof typeof rendered)[];

/** Contents of the rendered files, by name. Equal settings produce equal files. @throws Error that names every invalid setting */
export function renderFiles(settings: GatewaySettings): Record<keyof typeof rendered, string> {
  checkGatewaySettings(settings);
  return Object.fromEntries(renderedNames.map((name) => [name, rendered[name](settings)])) as ReturnType<
    typeof renderFiles
  >;
}

/** Contents of the files that are not rendered, by name. The names do not depend on settings, so a running gateway can load other settings. */
export function unchangedFiles({ metrics = false }: Pick<GatewaySettings, "metrics">): Record<string, string> {
  const files = new Map<string, string>();
  for (const path of configurationFiles()) {
    const name = basename(path);
    if (files.has(name)) throw new Error(`nginx/configuration has two files named ${name}. Rename one of them.`);
    files.set(name, readFileSync(path, "utf8"));
  }
  for (const name of ["metrics.conf", "metrics.js"]) files.set(name, readFileSync(new URL(name, folder), "utf8"));
  if (metrics) files.set("nginx.conf", withMetrics(files.get("nginx.conf") ?? ""));
  return Object.fromEntries(files);
}

const folder = new URL("../metrics/", import.meta.url);

/** Debian and the official image have the module in the same place. */
const loadModule = "load_module /usr/lib/nginx/modules/ngx_http_js_module.so;\n";

function withMetrics(main: string): string {
  const start = "\nhttp {\n";
  if (!main.includes(start)) throw new Error("nginx.conf has no block `http {`. Adapt nginx/rendering/render.ts.");
  return loadModule + main.replace(start, `${start}  include metrics.conf;\n`);
}
