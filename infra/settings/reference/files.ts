import { Document } from "yaml";
import { argumentOf, groups } from "../groups.ts";
import { type SettingName, settingNames, settings } from "../list.ts";
import type { Setting } from "../values/setting.ts";

const introduction = `# Settings

<!-- Generated from infra/settings/list.ts by \`npm run documents\`; do not edit. -->

Every setting, with its default in parentheses. An invalid value stops the deployment before anything changes; the error names the allowed values.

Set a value with \`pulumi config set routeql:<setting> <value>\` (a secret with \`--secret\`), or in the environment file: \`.env\`, or the file
that \`routeql:environmentFile\` or \`ROUTEQL_ENVIRONMENT_FILE\` names. There names have capitals: \`httpsPort\` is \`HTTPS_PORT\`. The
configuration overrides the environment file; an empty value counts as missing. [Arguments](#arguments-of-the-component) of \`new RouteQL\` are the same settings.
`;

function line(name: SettingName, meaning: string): string {
  const setting: Setting = settings[name];
  const capitals = name.replaceAll(/[A-Z]/g, "_$&").toUpperCase();
  const exception = setting.environment === capitals ? "" : `, \`${setting.environment}\``;
  const byDefault = defaultInWords(setting);
  // Other texts are sentences for the error message, which may have an example with a placeholder.
  const form = /^\S*</.test(setting.allowed ?? "") ? ` Form: \`${setting.allowed}\`.` : "";
  return `- \`${name}\`${exception}${byDefault === "" ? "" : ` (${byDefault})`}: ${meaning}${form}`;
}

/** docs/reference/settings.md: settings by the target or the mode that their meaning starts with. */
function settingsDocument(): string {
  const sections = new Map<string, string[]>();
  for (const name of settingNames) {
    const [, section = "Every stack", meaning = ""] =
      /^(?:(Docker with `stack`|Docker|Kubernetes|CloudNativePG): )?(.*)$/s.exec(settings[name].meaning) ?? [];
    sections.set(section, [...(sections.get(section) ?? []), line(name, meaning)]);
  }
  const text = [...sections].map(([section, lines]) => [`## ${section}`, "", ...lines, ""].join("\n"));
  return [introduction, ...text, argumentSection()].join("\n");
}

function argumentSection(): string {
  const sections = [...groups, undefined].map((group) => {
    const own = settingNames.map(argumentOf).filter(([, each]) => each === group);
    const title = group === undefined ? "Without a group" : `\`${group}\``;
    return `${title}:\n${own.map(([argument]) => `\`${argument}\``).join(",\n")}.\n`;
  });
  return `## Arguments of the component

Programs pass settings by group, such as \`{ gateway: { httpsPort: 8443 } }\`. An argument does not repeat the word of its group: \`databaseUrl\` is
\`database.url\`, \`ldapUrl\` is \`directory.url\`, and \`database\` is \`database.kind\`. [Example](../start/package.md).

${sections.join("\n")}`;
}

/** The questions of `pulumi new`: settings that differ between environments. */
const asked: readonly SettingName[] = ["target", "engine", "publicHost", "hostAddress", "adminEmail"];

function description(setting: Setting): string {
  const byDefault = defaultInWords(setting);
  return `${setting.meaning} (${typeInWords(setting)}; default: ${byDefault === "" ? "none" : byDefault})`.replaceAll(
    "`",
    "",
  );
}

/** Pulumi.yaml. Its defaults are empty, not given: Pulumi copies them into each stack, over the environment file. */
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

function typeInWords({ type, structural }: Setting): string {
  // Folders decide which resources exist; certificates do not.
  if (type === "file" && structural === true) return "path";
  return { text: "text", number: "whole number", flag: "true or false", secret: "secret", file: "path or PEM text" }[
    type
  ];
}

/** The default value, without a full stop. */
function defaultInWords({ generated, default: byDefault, defaultIn = {} }: Setting): string {
  if (generated === true) return "generated";
  if (byDefault === undefined) return "";
  const exceptions = Object.entries(defaultIn).map(([stack, value]) => `; \`${value}\` in \`${stack}\``);
  return `\`${byDefault}\`${exceptions.join("")}`;
}
