import type { GatewaySettings } from "./settings.ts";

/** settings.conf: every directive and variable whose value is a setting, for the http context. */
export function renderSettings(settings: GatewaySettings): string {
  const logins = settings.loginRequestsPerMinutePerAddress;
  return `# Rendered from the deployment's settings by render.ts; an edit here is lost.

# (1) The public side.
${constant("public_origin", origin(settings.publicHost, settings.httpsPort))}
${constant("public_console_origin", origin(settings.publicHost, settings.consolePort))}
${constant("console", settings.console ? "on" : "off")}
${constant("metadata_api", settings.metadataApi ? "on" : "off")}

# (2) Bodies, held in memory up to the limit. Default: 1m; 8k|16k
client_max_body_size ${settings.bodyLimitKilobytes}k;
client_body_buffer_size ${settings.bodyLimitKilobytes}k;

# (3) Rates and connections of one address. Default: none
limit_req_zone $binary_remote_addr zone=requests:10m rate=${settings.requestsPerSecondPerAddress}r/s;
limit_req_zone $login_address zone=logins:10m rate=${logins}r/m;
limit_conn_zone $binary_remote_addr zone=connections:10m;
limit_req zone=requests burst=${settings.burst} nodelay;
limit_req zone=logins${logins > 1 ? ` burst=${logins - 1} nodelay` : ""};
limit_conn connections ${settings.connectionsPerAddress};
${constant("seconds_between_logins", String(Math.ceil(60 / logins)))}

# (4) Silence of the engine on a WebSocket, of a client on the same. Default: 60s; 60s
proxy_read_timeout ${settings.idleWebSocketSeconds}s;
proxy_send_timeout ${settings.idleWebSocketSeconds}s;

# (5) The request's origin if its pages may call the API, else nothing.
map $http_origin $allowed_origin {
${allowedOrigins(settings)
  .map((allowed) => (allowed === "*" ? '  "~." $http_origin;' : `  "${allowed}" $http_origin;`))
  .join("\n")}
  default "";
}
`;
}

/** Pages of the service itself come from the console's listener and may call the API's. */
function allowedOrigins({ publicHost, httpsPort, consolePort, corsOrigins }: GatewaySettings): readonly string[] {
  return [...new Set([origin(publicHost, httpsPort), origin(publicHost, consolePort), ...corsOrigins])];
}

function origin(host: string, port: number): string {
  return port === 443 ? `https://${host}` : `https://${host}:${port}`;
}

/** addresses.sh: addresses of the services, for start.sh. {@link checkGatewaySettings} keeps the values free of shell syntax. */
export function renderAddresses({ engineAddress, sidecarAddress }: GatewaySettings): string {
  return `#!/bin/sh
# Rendered from the deployment's settings by render.ts; an edit here is lost.
engine=${engineAddress}
auth_sidecar=${sidecarAddress}
`;
}

/**
 * gateway-key.conf: the header by which the gateway proves itself to the auth sidecar. It holds a secret, so it is no file of settings.
 * @throws Error for a key that would change meaning inside the file
 */
export function renderGatewayKey(key: string): string {
  if (!/^[\w-]+$/.test(key)) throw new Error("the gateway's key must hold only letters, digits, _ and -");
  return `proxy_set_header X-Gateway-Key ${key};\n`;
}

/** query-time.conf: time limit for the engine's silence on a query; settings.conf has the limit for WebSockets. */
export function renderQueryTime({ queryReplySeconds }: GatewaySettings): string {
  return `# Rendered from the deployment's settings by render.ts; an edit here is lost.

# (1) Longer than the engine waits for a connection, a statement and its answer together, which it answers better itself. Default: 60s
proxy_read_timeout ${queryReplySeconds}s;
`;
}

/** nginx has no constants: a map without a source is one. */
function constant(variable: string, value: string): string {
  return `map "" $${variable} { default "${value}"; }`;
}

type Names = Pick<GatewaySettings, "sessionVariables">;

const header = "# Rendered from the deployment's settings by render.ts; an edit here is lost.\n";

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
