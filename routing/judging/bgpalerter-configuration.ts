import { isAsNumber, parseAsNumber } from "@routeql/database-access/number-resources";
import { isObject } from "../formats/is-object.ts";
import type { Configuration, ConfiguredPrefix } from "./parsed-configuration.ts";
import { canonicalPrefix, lengthOf } from "../formats/prefix.ts";
import type { CheckedYaml } from "./problems.ts";
import { originRule, type Rule } from "./rules.ts";

const known = new Set(["description", "asn", "ignoreMorespecifics", "ignore", "group"]);

/** BGPalerter's prefixes.yml. @throws ConfigurationError with all problems */
export function readBgpalerterConfiguration(file: Readonly<Record<string, unknown>>, yaml: CheckedYaml): Configuration {
  const prefixes: ConfiguredPrefix[] = [];
  for (const [text, value] of Object.entries(file)) {
    if (text === "options") {
      yaml.warn([text], "options: AS numbers are not monitored by themselves; only prefixes are converted");
      continue;
    }
    const canonical = canonicalPrefix(text);
    if (canonical === undefined || canonical.hostBits) {
      yaml.problem([text], `${text} is no IPv4 or IPv6 prefix without bits beyond its length`);
      continue;
    }
    const fields = isObject(value) ? value : {};
    for (const field of Object.keys(fields))
      if (!known.has(field)) yaml.warn([text, field], `${text}: ${field} has no effect`);
    const given = fields["asn"];
    const origins = (Array.isArray(given) ? given : [given]).flatMap((each) => {
      const asn = isAsNumber(each) ? each : parseAsNumber(String(each));
      if (asn === undefined) yaml.problem([text, "asn"], `${text}: asn must be AS numbers, not ${String(each)}`);
      return asn ?? [];
    });
    const ignored = fields["ignore"] === true;
    const rule: Rule = {
      ...originRule(text, ignored ? "*" : origins),
      moreSpecifics: ignored || fields["ignoreMorespecifics"] === true ? "allowed" : "hijack",
    };
    const { prefix } = canonical;
    const length = lengthOf(prefix);
    prefixes.push({
      prefix,
      organisation: null,
      minPeers: ignored ? 0 : 1,
      rules: [{ low: length, high: length, order: 0, rule }],
    });
  }
  return { organisations: [], prefixes, autoignore: null, monitors: null, warnings: yaml.end() };
}
