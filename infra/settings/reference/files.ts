import { Document } from "yaml";
import { type SettingName, settingNames, settings } from "../list.ts";
import type { Setting } from "../setting.ts";

const introduction = `# Settings

<!-- Generated from infra/settings/list.ts by \`npm run documents\`; do not edit. -->

Set a value with \`pulumi config set routeql:<setting> <value>\` (a secret with \`--secret\`), or in the environment file: \`.env\`, or the file
that \`routeql:environmentFile\` or \`ROUTEQL_ENVIRONMENT_FILE\` names. A name is written there in capitals: \`httpsPort\` is \`HTTPS_PORT\`;
the table lists the exceptions. The configuration comes before the environment file, an empty value counts as missing, and missing secrets
are generated once. Programs pass the same settings as arguments of \`new RouteQL("routeql", { … })\`.

An invalid value stops the deployment before anything changes; all problems are listed together.
`;

function row(name: string, setting: Setting): string {
  const { environment, meaning, allowed } = setting;
  // Patterns in angle brackets become code, because Markdown would read them as HTML.
  const values = allowed?.replaceAll(/\S*[<{]\S*/g, (pattern) => `\`${pattern}\``);
  const kind = setting.type === "secret" ? "secret" : undefined;
  const type = [kind, values].filter((each) => each !== undefined).join(": ") || typeInWords(setting);
  const capitals = name.replaceAll(/[A-Z]/g, "_$&").toUpperCase();
  const exception = environment === capitals ? "" : `, \`${environment}\``;
  return `| \`${name}\`${exception} | ${type} | ${defaultInWords(setting)} | ${meaning} |`;
}

/** docs/reference/settings.md */
function settingsDocument(): string {
  const rows = settingNames.map((name) => row(name, settings[name]));
  return [introduction, "| setting | value | default | meaning |", "|---|---|---|---|", ...rows, ""].join("\n");
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
  return { text: "text", number: "whole number", flag: "true or false", secret: "secret", file: "path" }[type];
}

/** The default value, without a full stop. */
function defaultInWords({ generated, default: byDefault, defaultIn = {} }: Setting): string {
  if (generated === true) return "generated";
  if (byDefault === undefined) return "";
  const exceptions = Object.entries(defaultIn).map(([stack, value]) => `; \`${value}\` in \`${stack}\``);
  return `\`${byDefault}\`${exceptions.join("")}`;
}
