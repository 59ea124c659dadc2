import { expect, test } from "vitest";
import { paths } from "@routeql/contract/paths";
import { gatewaySettings as settings, renderGateway } from "../testing/gateway.ts";

test("metrics load the module and change no name of a file", () => {
  const [without, withMetrics] = [renderGateway(settings), renderGateway({ ...settings, metrics: true })];
  expect({ ...withMetrics, "nginx.conf": without["nginx.conf"] }).toEqual(without);
  expect(withMetrics["nginx.conf"]).toMatch(/^load_module \S+;\n[^]*\nhttp \{\n {2}include metrics\.conf;\n/);
  expect(without["nginx.conf"]).not.toContain("metrics");
});

test("the routes of the metrics are the paths of the contract", () => {
  const [, listed = ""] =
    /const routes = \[([^\]]*)\]/.exec(renderGateway({ ...settings, metrics: true })["metrics.js"] ?? "") ?? [];
  const listedPaths = [...listed.matchAll(/"([^"]+)"/g)].map(([, path]) => path);
  expect(new Set(listedPaths)).toEqual(new Set(Object.values(paths)));
});
