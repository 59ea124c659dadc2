import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { StackPaths } from "@routeql/host/paths";
import { scrapeConfiguration } from "@routeql/infra/monitoring/prometheus-files";
import { describeServices } from "@routeql/infra/services/all";
import type { PlainSettings } from "@routeql/infra/settings/list";

/** On Docker: writes the scrape configuration for a Prometheus outside the stack, with `scrape`. @returns place of the metrics: file or pages */
export async function offerMetrics(
  stack: string,
  { folder }: StackPaths,
  settings: PlainSettings,
): Promise<string | undefined> {
  const file = join(folder, "prometheus.yml");
  const { monitoring, prometheusPort, grafanaImage, grafanaPort } = settings;
  if (monitoring !== "scrape") {
    await rm(file, { force: true });
    if (monitoring !== "stack") return undefined;
    const page = `http://127.0.0.1:${prometheusPort}/consoles/routeql.html`;
    return grafanaImage === undefined ? page : `${page}, Grafana at http://127.0.0.1:${grafanaPort}/`;
  }
  const services = describeServices(settings, { hostOf: (name) => name, certificate: "", stack });
  const connect = `# Connect your Prometheus first: docker network connect routeql-${stack}-metrics <its container>\n`;
  await writeFile(file, connect + scrapeConfiguration(services, stack));
  return file;
}
