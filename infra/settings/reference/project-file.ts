import { Document } from "yaml";
import { settingNames, settings } from "../list.ts";
import type { SettingName } from "../list.ts";
import type { Setting } from "../setting.ts";
import { defaultInWords, typeInWords } from "./describe.ts";

/** What `pulumi new` asks for: what differs from one environment to the next. */
const asked: readonly SettingName[] = ["target", "engine", "publicHost", "hostAddress", "adminEmail"];

function description(setting: Setting): string {
  return `${setting.meaning} (${typeInWords(setting)}; default: ${defaultInWords(setting)})`.replaceAll("`", "");
}

/**
 * Pulumi.yaml. Every default is empty, which counts as not given: Pulumi puts the defaults of this file into each stack's
 * configuration, and a stack's configuration outranks the environment file. The program fills in the real defaults and checks
 * types and values itself.
 */
export function projectFile(): string {
  const document = new Document({
    name: "routeql",
    description: "Routing updates and hijacks in Postgres, online as a role-guarded GraphQL API",
    runtime: { name: "nodejs", options: { typescript: false } },
    main: "infra/index.ts",
    config: Object.fromEntries(settingNames.map((name) => [name, { description: description(settings[name]), default: "" }])),
    template: {
      description: "Routing updates and hijacks online as a GraphQL API, on one Docker host or on Kubernetes",
      displayName: "RouteQL",
      quickstart: "Other settings: docs/reference/settings.md. On a machine that lacks the CLI or its plugins: npm run up",
      config: Object.fromEntries(
        asked.map((name) => [
          name,
          { description: settings[name].meaning.replaceAll("`", ""), default: String((settings[name] as Setting).default) },
        ]),
      ),
    },
  });
  document.commentBefore = " Generated from infra/settings/list.ts by `npm run documents`; do not edit.";
  return document.toString({ lineWidth: 0 });
}
