import type { Finding } from "../findings/finding.ts";
import { readProject } from "../metadata/project.ts";
import { applicable, applyRules, shapeFindings } from "./apply.ts";

/** Findings in a metadata directory or file by the rules that need nothing else, without the exceptions of a configuration. */
export function checkMetadata(source: string): readonly Finding[] {
  const project = readProject(source, "/");
  const { metadata } = project;
  if (metadata === undefined) return shapeFindings(project);
  const configuration = { sessionVariables: undefined, inferFunctionPermissions: true, unauthorizedRole: undefined };
  const examined = { project, metadata, configuration, catalogs: undefined, state: undefined, base: undefined };
  return [...shapeFindings(project), ...applyRules(examined, applicable(examined))];
}
