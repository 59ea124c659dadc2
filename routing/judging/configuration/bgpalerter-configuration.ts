import { isAsNumber, parseAsNumber } from "@routeql/database-access/number-resources";
import { isObject } from "../../formats/is-object.ts";
import type { Configuration, ConfiguredPrefix } from "./parsed-configuration.ts";
import { canonicalPrefix, lengthOf, parsePrefix, printPrefix } from "../../formats/prefix.ts";
import type { CheckedYaml } from "./problems.ts";
import { originRule, type Rule } from "../rules.ts";

const known = new Set([
  "description",
  "asn",
  "ignoreMorespecifics",
  "ignore",
  "group",
  "includeMonitors",
  "excludeMonitors",
]);

const pathReason = "has no effect: paths are judged by neighbors or prepend_seq in rules of ARTEMIS's file";

/** Names of BGPalerter's monitors in its example of config.yml. */
const hijackMonitor = "basic-hijack-detection";
/** Of more specific prefixes that the configured AS announces. */
const moreSpecificMonitor = "prefix-detection";
const visibilityMonitor = "withdrawal-detection";

/** BGPalerter's prefixes.yml. @throws ConfigurationError with all problems */
export function readBgpalerterConfiguration(file: Readonly<Record<string, unknown>>, yaml: CheckedYaml): Configuration {
  const byPrefix = new Map<string, ConfiguredPrefix>();
  for (const [text, value] of Object.entries(file)) {
    if (text === "options") {
      yaml.warn(
        [text],
        "options: has no effect: only listed prefixes are watched; upstreams are neighbors in rules of ARTEMIS's file",
      );
      continue;
    }
    const canonical = canonicalPrefix(text);
    const parsed = parsePrefix(text);
    if (canonical === undefined || parsed === undefined) {
      yaml.problem([text], `${text} is no IPv4 or IPv6 prefix`);
      continue;
    }
    const prefix = printPrefix(parsed);
    if (canonical.hostBits) yaml.warn([text], `${text} has bits set beyond its length; it is read as ${prefix}`);
    if (byPrefix.has(prefix)) yaml.problem([text], `${text}: the file has the prefix ${prefix} already`);
    if (!isObject(value) || value["asn"] === undefined) {
      yaml.problem([text], `${text}: must be a mapping with asn`);
      continue;
    }
    for (const field of Object.keys(value))
      if (!known.has(field))
        yaml.warn(
          [text, field],
          `${text}: ${field} ${field === "path" ? pathReason : "is not known and has no effect"}`,
        );
    const given = value["asn"];
    const origins = (Array.isArray(given) ? given : [given]).flatMap((each) => {
      const asn = typeof each === "string" ? parseAsNumber(each) : isAsNumber(each) ? each : undefined;
      const shown = typeof each === "string" ? each : JSON.stringify(each);
      if (asn === undefined) yaml.problem([text, "asn"], `${text}: asn must be AS numbers, not ${shown}`);
      return asn ?? [];
    });
    if (Array.isArray(given) && given.length === 0) yaml.problem([text, "asn"], `${text}: asn lists no AS number`);
    for (const field of ["ignore", "ignoreMorespecifics"])
      if (value[field] !== undefined && typeof value[field] !== "boolean")
        yaml.problem([text, field], `${text}: ${field} must be true or false`);
    const ignored = value["ignore"] === true;
    const isMonitored = monitorsOf(value, text, yaml);
    const isGuarded = !ignored && isMonitored(hijackMonitor);
    const rule: Rule = {
      ...originRule(text, isGuarded ? origins : "*"),
      moreSpecifics:
        !isGuarded || value["ignoreMorespecifics"] === true
          ? "allowed"
          : isMonitored(moreSpecificMonitor)
            ? "hijack"
            : "origins",
    };
    const length = lengthOf(prefix);
    byPrefix.set(prefix, {
      prefix,
      organisation: null,
      minPeers: ignored || !isMonitored(visibilityMonitor) ? 0 : 1,
      rules: [{ low: length, high: length, order: 0, rule }],
    });
  }
  if (byPrefix.size === 0) yaml.problem([], "the file has no prefix, so there is nothing to detect");
  return { organisations: [], prefixes: [...byPrefix.values()], autoignore: null, warnings: yaml.end() };
}

/** Which monitors of BGPalerter watch a prefix: the included ones, or all but the excluded ones. An empty list has no effect. */
function monitorsOf(
  value: Readonly<Record<string, unknown>>,
  text: string,
  yaml: CheckedYaml,
): (monitor: string) => boolean {
  const listed = (field: string): readonly unknown[] => {
    const { [field]: list = [] } = value;
    if (Array.isArray(list)) return list;
    yaml.problem([text, field], `${text}: ${field} must be a list of names`);
    return [];
  };
  const [included, excluded] = [listed("includeMonitors"), listed("excludeMonitors")];
  if ("includeMonitors" in value && "excludeMonitors" in value)
    yaml.problem([text], `${text}: has includeMonitors and excludeMonitors. BGPalerter accepts one of them`);
  return (monitor) => (included.length > 0 ? included.includes(monitor) : !excluded.includes(monitor));
}
