import type { GatewaySettings } from "./settings.ts";

type Names = Pick<GatewaySettings, "sessionVariables">;

const header = "# Rendered from the deployment's settings by render.ts; an edit here is lost.\n";

/** The role and the session variables, in lower case, each once. */
function names({ sessionVariables }: Names): readonly string[] {
  return [...new Set(["x-hasura-role", ...sessionVariables.map((name) => name.toLowerCase())])].toSorted();
}

const underscored = (name: string): string => name.replaceAll("-", "_");

/** master-key.conf, for the http context: role and session variables of the client, empty without the admin secret. */
export function renderMasterKey(settings: Names): string {
  const maps = names(settings).map(
    (name) =>
      `map $http_x_engine_access_key $with_key_${underscored(name)} {\n  ""      "";\n  default $http_${underscored(name)};\n}`,
  );
  return `${header}\n# (1) The engine rejects a wrong key, so these headers take effect with the right one only.\n${maps.join("\n")}\n`;
}

/** proxy-master-key.conf, for locations that forward to the engine. */
export function renderProxyMasterKey(settings: Names): string {
  return `${header}\n${names(settings)
    .map((name) => `proxy_set_header ${name} $with_key_${underscored(name)};`)
    .join("\n")}\n`;
}
