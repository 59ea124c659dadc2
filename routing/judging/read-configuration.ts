import { readArtemisConfiguration } from "./artemis-configuration.ts";
import { readBgpalerterConfiguration } from "./bgpalerter-configuration.ts";
import { readOwnConfiguration } from "./configuration.ts";
import type { Configuration } from "./parsed-configuration.ts";
import { CheckedYaml } from "./problems.ts";

/** Reads RouteQL's own form, ARTEMIS's file or BGPalerter's prefixes.yml. @param file its name, for messages @throws ConfigurationError */
export function readConfiguration(text: string, file: string): Configuration {
  const yaml = new CheckedYaml(text, file);
  const sections = typeof yaml.value === "object" && yaml.value !== null ? yaml.value : {};
  const names = Object.keys(sections);
  const { prefixes } = sections as { prefixes?: unknown };
  if (names.some((name) => ["rules", "asns", "monitors", "autoignore"].includes(name)) || isMap(prefixes))
    return readArtemisConfiguration(yaml);
  return names.some((name) => name.includes("/")) ? readBgpalerterConfiguration(yaml) : readOwnConfiguration(yaml);
}

const isMap = (value: unknown): boolean => typeof value === "object" && value !== null && !Array.isArray(value);
