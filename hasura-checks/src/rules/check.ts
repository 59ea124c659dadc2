import type { Finding } from "../findings/finding.ts";
import type { LoadedMetadata } from "@routeql/metadata/read/load";
import { loadedProject } from "../metadata/project.ts";
import { applicable, applyRules, shapeFindings } from "./apply.ts";

/** Findings by the rules that need only metadata, without the exceptions of a configuration. */
export function checkMetadata(loaded: LoadedMetadata): readonly Finding[] {
  const project = loadedProject(loaded);
  const { metadata } = project;
  if (metadata === undefined) return shapeFindings(project);
  const configuration = { sessionVariables: undefined, inferFunctionPermissions: true, unauthorizedRole: undefined };
  const examined = { project, metadata, configuration, catalogs: undefined, state: undefined, base: undefined };
  return [...shapeFindings(project), ...applyRules(examined, applicable(examined))];
}
