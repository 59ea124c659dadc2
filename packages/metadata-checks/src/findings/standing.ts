import { applicable, applyRules, shapeFindings } from "../rules/apply.ts";
import type { Examined } from "../rules/rule.ts";
import type { ReadProject } from "../metadata/project.ts";
import type { Finding } from "./finding.ts";

/**
 * What a base revision is found with, by the configuration of now.
 *
 * The database is that of now: what a migration breaks would seem broken in the base as well, and a column that it adds be granted there. So only rules that look at nothing else have it.
 * @param catalogs of the sources of the base
 * @param namesSources as of the findings that these are compared with
 */
export function standingFindings(base: ReadProject, catalogs: Examined["catalogs"], configuration: Examined["configuration"], namesSources: boolean): readonly Finding[] {
  const examined = { project: base, metadata: base.metadata, configuration, catalogs: undefined, state: undefined, base: undefined };
  const onDatabase = { ...examined, catalogs };
  return [...shapeFindings(base), ...applyRules(examined, applicable(examined), namesSources), ...applyRules(onDatabase, applicable(onDatabase).filter(({ needs }) => needs === "database"), namesSources)];
}
