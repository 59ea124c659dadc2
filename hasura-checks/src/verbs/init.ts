import { existsSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { stringify } from "yaml";
import { type Command, exitCodes } from "../cli/command.ts";
import { UsageError } from "../cli/usage-error.ts";
import { commonOptions, configurationFile, metadataDirectory, readConfiguration } from "../configuration.ts";
import { examinable, readProject, type ReadProject } from "../metadata/project.ts";
import { isAlwaysTrue } from "../diff/formula.ts";
import { columnsOf, listed, permissionsOf, type Walked, writesOf } from "../metadata/walk.ts";
import { isUnauthorized } from "../rules/rule.ts";
import { sessionVariable } from "@routeql/metadata/filter-names";
import { variablesIn } from "../rules/sessions.ts";

interface RoleNumbers {
  readonly role: string;
  readonly permissions: number;
  /** Of those, permissions that hold for every row. */
  readonly open: number;
}

/** A role with this share of open permissions may belong to a backend or an administrator. */
const trustedShare = 0.9;

function rolesIn(walked: Walked): readonly RoleNumbers[] {
  const conditions = [
    ...permissionsOf(walked).map((placed) => ({
      role: placed.role,
      open: isAlwaysTrue(placed.permission.filter, placed),
    })),
    ...writesOf(walked).map((placed) => ({
      role: placed.role,
      open: isAlwaysTrue(
        placed.permission[placed.kind === "insert_permissions" ? "check" : "filter"] ?? {},
        columnsOf(placed, walked),
      ),
    })),
  ];
  return [...Map.groupBy(conditions, ({ role }) => role)].map(([role, all]) => ({
    role,
    permissions: all.length,
    open: all.filter(({ open }) => open).length,
  }));
}

function sessionVariablesIn(walked: Walked): readonly string[] {
  const conditions = [
    ...permissionsOf(walked).map(({ permission }) => permission.filter),
    ...writesOf(walked).map(({ permission }) => permission),
  ];
  const names = conditions
    .flatMap((condition) => variablesIn(condition, []).flatMap(({ text }) => sessionVariable(text) ?? []))
    .filter((name) => name !== "x-hasura-role");
  return [...new Set(names)].toSorted();
}

/** The configuration as a commented file, derived from the metadata. */
function configurationText(metadata: string, project: ReadProject): string {
  const walked = { metadata: project.metadata, project };
  const roles = rolesIn(walked);
  const writers = new Set(writesOf(walked).map(({ role }) => role));
  const trusted = roles.filter(
    ({ role, permissions, open }) =>
      writers.has(role) &&
      permissions >= 3 &&
      open / permissions >= trustedShare &&
      !isUnauthorized(role, { configuration: { unauthorizedRole: undefined } }),
  );
  const unauthorized = roles.find(({ role }) =>
    isUnauthorized(role, { configuration: { unauthorizedRole: undefined } }),
  )?.role;
  const variables = sessionVariablesIn(walked);
  const line = (key: string, value: unknown) =>
    stringify({ [key]: value }, { flowCollectionPadding: false, collectionStyle: "flow", lineWidth: 0 })
      .trim()
      .replace(/^\{(.*)\}$/s, "$1");
  return [
    "# Configuration of hasura-checks, written by `hasura-checks init`. Review each value.",
    "",
    line("metadata", metadata),
    "",
    "# Session variables that your tokens carry. A filter that needs another one is an error.",
    variables.length === 0 ? "# sessionVariables: [x-hasura-user-id]" : line("sessionVariables", variables),
    "",
    "# Roles that are meant to read and write every row, such as that of a backend or an administrator.",
    "# Rules about open permissions leave them out.",
    ...(trusted.length === 0
      ? ["# trustedRoles: [backend]"]
      : [
          `# These roles have open permissions almost everywhere. Uncomment those that you trust:`,
          ...trusted.map(
            ({ role, open, permissions }) => `#   ${role}: ${open} of ${permissions} permissions hold for every row`,
          ),
          `# ${line(
            "trustedRoles",
            trusted.map(({ role }) => role),
          )}`,
        ]),
    "",
    "# The role of requests without a token (HASURA_GRAPHQL_UNAUTHORIZED_ROLE).",
    unauthorized === undefined ? "# unauthorizedRole: anonymous" : line("unauthorizedRole", unauthorized),
    "",
    "# HASURA_GRAPHQL_INFER_FUNCTION_PERMISSIONS of your engine.",
    "inferFunctionPermissions: true",
    "",
    "# Findings that are intended. Each exception needs a reason; table, role and name narrow it.",
    "# exceptions:",
    "#   - rule: every-row",
    "#     role: visitor",
    "#     table: public.product",
    "#     reason: The catalogue is public.",
    "",
    "# Rules that are not applied at all.",
    "# off:",
    "#   row-limit: The gateway limits the rows.",
    "",
  ].join("\n");
}

export const init: Command = {
  name: "init",
  summary: "writes a commented configuration from the metadata",
  usage: "hasura-checks init [--metadata DIR] [--force]",
  description: `Reads the metadata and writes ${configurationFile}: the session variables that filters use, the role of requests without a token, and, as comments, roles that look trusted because almost all of their permissions hold for every row.`,
  options: { ...commonOptions, force: { type: "boolean", help: "replace an existing configuration" } },
  examples: [["hasura-checks init", "in the folder of a project of Hasura's CLI"]],
  outcomes: ["the configuration is written", "never"],
  run(given, terminal) {
    const { directory, out } = terminal;
    const file = given.text("config") ?? configurationFile;
    if (existsSync(resolve(directory, file)) && !given.flag("force"))
      throw new UsageError(`${file} already exists; --force replaces it`);
    const metadata = metadataDirectory(
      given,
      readConfiguration(
        { ...given, text: (name) => (name === "config" ? undefined : given.text(name)) },
        { directory },
      ),
      directory,
    );
    const project = examinable(readProject(metadata, directory), `of ${metadata}`);
    writeFileSync(resolve(directory, file), configurationText(metadata, project));
    const walked = { metadata: project.metadata, project };
    out(
      `wrote ${file}: ${rolesIn(walked).length} roles, session variables ${listed(sessionVariablesIn(walked)) || "none"}\nNext: hasura-checks lint`,
    );
    return Promise.resolve(exitCodes.fine);
  },
};
