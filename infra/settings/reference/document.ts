import { settingNames, settings } from "../list.ts";
import type { Setting } from "../setting.ts";
import { defaultInWords, typeInWords } from "./describe.ts";

const introduction = `# Settings

<!-- Generated from infra/settings/list.ts by \`npm run documents\`; do not edit. -->

Each setting has a name in the stack's configuration (\`pulumi config set routeql:<name> <value>\`, for a secret with \`--secret\`)
and one in the environment file (\`.env\` in the project's folder, or the file that the configuration key \`routeql:environmentFile\`
or the variable \`ROUTEQL_ENVIRONMENT_FILE\` names; lines \`NAME=value\`). The stack's configuration comes first, then the environment
file, then the default. An empty value is as good as none. A generated secret is made at the first start, kept encrypted in the
stack's state, and stays the same.

An unknown name, a bad value or a weak secret stops the deployment before anything is changed; all problems are listed at once.
Programs that use the component (\`new RouteQL("routeql", { … })\`) give the same settings as arguments.
`;

function row(name: string, setting: Setting): string {
  const { environment, meaning, allowed } = setting;
  // Patterns with brackets are code, as Markdown would take them for HTML.
  const values = allowed?.replaceAll(/\S*[<{]\S*/g, (pattern) => `\`${pattern}\``);
  const type = values === undefined ? typeInWords(setting) : `${typeInWords(setting)}: ${values}`;
  return `| \`${name}\` | \`${environment}\` | ${type} | ${defaultInWords(setting)} | ${meaning} |`;
}

/** docs/reference/settings.md */
export function settingsDocument(): string {
  const rows = settingNames.map((name) => row(name, settings[name]));
  return [
    introduction,
    "| setting | in the environment file | type | default | meaning |",
    "|---|---|---|---|---|",
    ...rows,
    "",
  ].join("\n");
}
