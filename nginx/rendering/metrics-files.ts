import { readFileSync } from "node:fs";

const folder = new URL("../metrics/", import.meta.url);
const text = (name: string): string => readFileSync(new URL(name, folder), "utf8");

/** Debian and the official image have the module in the same place. */
const loadModule = "load_module /usr/lib/nginx/modules/ngx_http_js_module.so;\n";

/**
 * The files that metrics add or change. Without metrics every file stays as it is, and nginx loads no module.
 * @param main content of nginx.conf
 */
export function metricsFiles(main: string): Record<string, string> {
  const start = "\nhttp {\n";
  if (!main.includes(start))
    throw new Error("nginx.conf has no block `http {`. Adapt nginx/rendering/metrics-files.ts.");
  return {
    "nginx.conf": loadModule + main.replace(start, `${start}  include metrics.conf;\n`),
    "metrics.conf": text("metrics.conf"),
    "metrics.js": text("metrics.js"),
  };
}
