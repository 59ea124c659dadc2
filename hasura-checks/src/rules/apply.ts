import { type MergedPath, printPath } from "@routeql/metadata/read/load";
import type { Finding } from "../findings/finding.ts";
import { fileNotIncluded, metadataShape, notExamined } from "./shape.ts";
import { rules } from "./list.ts";
import type { Examined, Rule } from "./rule.ts";
import type { PlacedProblem, Project } from "../metadata/project.ts";

/** Findings about the files, which can be unreadable as metadata. */
export function shapeFindings({ problems, unincluded, positionOf }: Project): readonly Finding[] {
  const shaped = [metadataShape, notExamined].flatMap((rule) =>
    rule
      .listed(problems.filter((problem) => rule.concerns(problem)))
      .map((problem): Finding => ({
        rule: rule.id,
        severity: problem.severity ?? rule.severity,
        ...positionOf(problem),
        ...aboutProblem(problem),
        remedy: problem.remedy ?? rule.remedy,
      })),
  );
  const { id, severity, remedy } = fileNotIncluded;
  const alone = unincluded.map((file): Finding => ({
    rule: id,
    severity,
    ...positionOf({ file, path: "", line: 1 }),
    reason: `${file} is not included by any other file`,
    remedy,
  }));
  return [...shaped, ...alone];
}

/** The table of a problem and the path in it, independent of the file. */
function aboutProblem({ table, at, path, reason }: PlacedProblem): Pick<Finding, "table" | "reason"> {
  if (table !== undefined && at.length > 4 && path !== "")
    return { table, reason: `${table}: ${printPath(at.slice(4))}: ${reason}` };
  return { reason: path === "" || path.startsWith("line ") ? reason : `${path}: ${reason}` };
}

/** Rules whose requirements are met. */
export function applicable({
  catalogs,
  base,
  configuration,
}: Pick<Examined, "catalogs" | "base" | "configuration">): readonly Rule[] {
  return rules.filter(({ needs }) => {
    if (needs === "database") return catalogs !== undefined;
    if (needs === "base") return base !== undefined;
    if (needs === "base and database") return base?.state !== undefined && catalogs !== undefined;
    return needs === undefined || configuration.sessionVariables !== undefined;
  });
}

/** Applies rules. @returns findings with file and line @param namesSources whether they name their source; default: of several */
export function applyRules(
  examined: Examined,
  applied: readonly Rule[],
  namesSources = examined.metadata.sources.length > 1,
): readonly Finding[] {
  const { sources } = examined.metadata;
  const sourceAt = ([root, index]: MergedPath) =>
    namesSources && root === "sources" ? sources[Number(index)]?.name : undefined;
  return applied.flatMap((rule) =>
    rule
      .find(examined)
      .map(({ at, source = sourceAt(at), ...found }): Finding => ({
        rule: rule.id,
        severity: rule.severity,
        ...examined.project.position(at),
        ...(source === undefined ? {} : { source }),
        remedy: rule.remedy,
        ...found,
      })),
  );
}
