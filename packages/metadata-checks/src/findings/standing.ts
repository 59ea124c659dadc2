import { applicable, applyRules, shapeFindings } from "../rules/apply.ts";
import type { Examined } from "../rules/rule.ts";
import type { ReadProject } from "../metadata/project.ts";
import type { Finding } from "./finding.ts";

/**
 * Findings of a base revision by the current configuration.
 *
 * The database has the current migrations, so a change of a migration would also be found in the base. Only rules that need nothing else use the database.
 * @param catalogs the catalogues of the sources of the base
 * @param namesSources the same value as for the compared findings
 */
export function standingFindings(base: ReadProject, catalogs: Examined["catalogs"], configuration: Examined["configuration"], namesSources: boolean): readonly Finding[] {
  const examined = { project: base, metadata: base.metadata, configuration, catalogs: undefined, state: undefined, base: undefined };
  const onDatabase = { ...examined, catalogs };
  return [...shapeFindings(base), ...applyRules(examined, applicable(examined), namesSources), ...applyRules(onDatabase, applicable(onDatabase).filter(({ needs }) => needs === "database"), namesSources)];
}
