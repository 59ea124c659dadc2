import { isObject } from "../../formats/is-object.ts";
import { readArtemisConfiguration } from "./artemis-configuration.ts";
import { readBgpalerterConfiguration } from "./bgpalerter-configuration.ts";
import { readOwnConfiguration } from "./configuration.ts";
import type { Configuration } from "./parsed-configuration.ts";
import { CheckedYaml } from "./problems.ts";

/** Reads RouteQL's own form, ARTEMIS's file or BGPalerter's prefixes.yml. @param file its name, for messages @throws ConfigurationError */
export function readConfiguration(text: string, file: string): Configuration {
  const yaml = new CheckedYaml(text, file);
  const sections = yaml.value;
  const names = Object.keys(sections);
  const ofAlerter = ["monitoredPrefixesFiles", "connectors"].find((name) => names.includes(name));
  if (ofAlerter !== undefined) {
    yaml.problem(
      [ofAlerter],
      `${ofAlerter}: this is BGPalerter's config.yml. Give the file of its prefixes, such as prefixes.yml, in a run of its own; thresholds are not read: records have num_peers_seen`,
    );
    yaml.end();
  }
  if (
    names.some((name) => ["rules", "asns", "monitors", "autoignore"].includes(name)) ||
    isObject(sections["prefixes"])
  )
    return readArtemisConfiguration(yaml);
  return names.some((name) => name.includes("/")) || names.join() === "options"
    ? readBgpalerterConfiguration(sections, yaml)
    : readOwnConfiguration(yaml);
}
