import { relative, resolve } from "node:path";
import type { Finding } from "../findings/finding.ts";
import { fileNotIncluded, unincludedFiles } from "./files.ts";
import { rules } from "./list.ts";
import type { Examined, Rule } from "./rule.ts";
import { metadataShape, notExamined } from "./shape.ts";
import type { Project } from "../metadata/project.ts";

/** Problems of the files themselves; there may be no metadata to look at further. */
export function shapeFindings({ problems, positionOf }: Project, directory: string, source: string): readonly Finding[] {
  const shaped = [metadataShape, notExamined].flatMap((rule) =>
    rule.listed(problems.filter((problem) => rule.concerns(problem))).map((problem): Finding => ({
      rule: rule.id,
      severity: rule.severity,
      ...positionOf(problem),
      reason: problem.path === "" || problem.path.startsWith("line ") ? problem.reason : `${problem.path}: ${problem.reason}`,
      remedy: rule.remedy,
    })),
  );
  const { id, severity, remedy } = fileNotIncluded;
  const unincluded = unincludedFiles(resolve(directory, source)).map((file): Finding => ({
    rule: id,
    severity,
    file: relative(directory, resolve(directory, source, file)),
    line: 1,
    reason: `${file} is not included by any other file`,
    remedy,
  }));
  return [...shaped, ...unincluded];
}

/** Rules that can be applied with what is there. */
export function applicable({ catalogs, base, configuration }: Pick<Examined, "catalogs" | "base" | "configuration">): readonly Rule[] {
  return rules.filter(({ needs }) => {
    if (needs === "database") return catalogs !== undefined;
    if (needs === "base") return base !== undefined;
    if (needs === "base and database") return base?.state !== undefined && catalogs !== undefined;
    return needs === undefined || configuration.sessionVariables !== undefined;
  });
}

/** Applies rules; what they find, with file and line. */
export function applyRules(examined: Examined, applied: readonly Rule[]): readonly Finding[] {
  return applied.flatMap((rule) =>
    rule.find(examined).map(({ at, reason, remedy, table, role, name }): Finding => ({
      rule: rule.id,
      severity: rule.severity,
      ...examined.project.position(at),
      ...(table === undefined ? {} : { table }),
      ...(role === undefined ? {} : { role }),
      ...(name === undefined ? {} : { name }),
      reason,
      remedy: remedy ?? rule.remedy,
    })),
  );
}
