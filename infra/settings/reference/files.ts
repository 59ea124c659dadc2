import { Document } from "yaml";
import { type SettingName, settingNames, settings } from "../list.ts";
import type { Setting } from "../setting.ts";

const introduction = `# Settings

<!-- Generated from infra/settings/list.ts by \`npm run documents\`; do not edit. -->

Each setting has a name in the stack's configuration (\`pulumi config set routeql:<name> <value>\`, for a secret with \`--secret\`)
and one in the environment file (\`.env\` in the project's folder, or the file that the configuration key \`routeql:environmentFile\`
or the variable \`ROUTEQL_ENVIRONMENT_FILE\` names; lines \`NAME=value\`). The stack's configuration comes first, then the environment
file, then the default. An empty value counts as missing. The first start generates missing secrets and stores them encrypted in the
stack's state; they stay the same.

An unknown name, an invalid value or a weak secret stops the deployment before anything changes; all problems are listed together.
Programs that use the component (\`new RouteQL("routeql", { … })\`) pass the same settings as arguments.
`;

function row(name: string, setting: Setting): string {
  const { environment, meaning, allowed } = setting;
  // Patterns in angle brackets become code, because Markdown would read them as HTML.
  const values = allowed?.replaceAll(/\S*[<{]\S*/g, (pattern) => `\`${pattern}\``);
  const type = values === undefined ? typeInWords(setting) : `${typeInWords(setting)}: ${values}`;
  return `| \`${name}\` | \`${environment}\` | ${type} | ${defaultInWords(setting)} | ${meaning} |`;
}

/** docs/reference/settings.md */
function settingsDocument(): string {
  const rows = settingNames.map((name) => row(name, settings[name]));
  return [
    introduction,
    "| setting | in the environment file | type | default | meaning |",
    "|---|---|---|---|---|",
    ...rows,
    "",
  ].join("\n");
}

/** The questions of `pulumi new`: settings that differ between environments. */
const asked: readonly SettingName[] = ["target", "engine", "publicHost", "hostAddress", "adminEmail"];

function description(setting: Setting): string {
  return `${setting.meaning} (${typeInWords(setting)}; default: ${defaultInWords(setting)})`.replaceAll("`", "");
}

/**
 * Pulumi.yaml. Every default is empty, which counts as not given: Pulumi copies the defaults of this file into each stack's
 * configuration, which overrides the environment file. The program applies the real defaults and checks types and values itself.
 */
export function projectFile(): string {
  const document = new Document({
    name: "routeql",
    description: "Routing updates and hijacks in Postgres, online as a role-guarded GraphQL API",
    runtime: { name: "nodejs", options: { typescript: false } },
    main: "infra/index.ts",
    config: Object.fromEntries(
      settingNames.map((name) => [name, { description: description(settings[name]), default: "" }]),
    ),
    template: {
      description: "Routing updates and hijacks online as a GraphQL API, on one Docker host or on Kubernetes",
      displayName: "RouteQL",
      quickstart:
        "Other settings: docs/reference/settings.md. On a machine that lacks the CLI or its plugins: npm run up",
      config: Object.fromEntries(
        asked.map((name) => [
          name,
          {
            description: settings[name].meaning.replaceAll("`", ""),
            default: String((settings[name] as Setting).default),
          },
        ]),
      ),
    },
  });
  document.commentBefore = " Generated from infra/settings/list.ts by `npm run documents`; do not edit.";
  return document.toString({ lineWidth: 0 });
}

/** Every file generated from the list of settings, by its path in the repository. */
export function generatedFiles(): ReadonlyMap<string, string> {
  return new Map([
    ["docs/reference/settings.md", settingsDocument()],
    [".env.example", exampleFile()],
    ["Pulumi.yaml", projectFile()],
  ]);
}

function lines(setting: Setting): string[] {
  const { environment, meaning, default: byDefault, generated } = setting;
  return [
    `# ${meaning}${generated === true ? " Generated when empty." : ""}`,
    `#${environment}=${byDefault ?? ""}`,
    "",
  ];
}

/** .env.example */
export function exampleFile(): string {
  return [
    "# Copy this file to .env and remove the # before each setting that you change.",
    "# Generated from infra/settings/list.ts by `npm run documents`; do not edit.",
    "",
    ...settingNames.flatMap((name) => lines(settings[name])),
  ].join("\n");
}

/** The setting's type in plain words. */
function typeInWords({ type }: Setting): string {
  return { text: "text", number: "whole number", flag: "true or false", secret: "secret text", file: "path of a file" }[
    type
  ];
}

/** The default value, without a full stop. */
function defaultInWords({ generated, default: byDefault, defaultIn = {} }: Setting): string {
  if (generated === true) return "generated";
  if (byDefault === undefined) return "none";
  const exceptions = Object.entries(defaultIn).map(([stack, value]) => `; \`${value}\` in the stack \`${stack}\``);
  return `\`${byDefault}\`${exceptions.join("")}`;
}
