import type { Input } from "@pulumi/pulumi";
import { renderedNames, renderFiles, unchangedFiles } from "@routeql/nginx/render";
import { derive } from "../inputs.ts";
import type { Settings } from "../settings/list.ts";
import { hostInAddress, originsOf } from "../settings/values/addresses.ts";
import { rangesOf } from "../settings/values/cluster-network.ts";
import { filesDirectory } from "../description/service.ts";
import { graphqlService } from "./hasura.ts";
import { sessionVariables } from "./metadata-files.ts";
import type { PublishedPort, ServiceDescription } from "../description/service.ts";
import type { Surroundings } from "../description/surroundings.ts";

/** Besides the statement's own limit: 5 s for a connection, 10 s more for a heavy one, 10 s for an answer that does not arrive. */
const secondsBesideStatement = 30;

function configuration(settings: Settings, hostOf: Surroundings["hostOf"]): Record<string, Input<string>> {
  const given = {
    host: settings.publicHost,
    origins: settings.corsOrigins,
    engine: hostOf(graphqlService(settings)),
    sidecar: hostOf("auth-sidecar"),
    statementSeconds: settings.statementTimeoutSeconds,
    httpsPort: settings.httpsPort,
    consolePort: settings.consolePort,
    bodyLimitKilobytes: settings.bodyLimitKilobytes,
    requestsPerSecondPerAddress: settings.requestsPerSecondPerAddress,
    burst: settings.requestBurst,
    loginRequestsPerMinutePerAddress: settings.loginRequestsPerMinutePerAddress,
    connectionsPerAddress: settings.connectionsPerAddress,
    idleWebSocketSeconds: settings.idleWebSocketSeconds,
  };
  const rendered = derive(given, ({ host, origins, engine, sidecar, statementSeconds, ...limits }) =>
    renderFiles({
      ...limits,
      publicHost: hostInAddress(host),
      console: settings.engineConsole,
      metadataApi: settings.engineMetadataApi,
      corsOrigins: originsOf(origins),
      sessionVariables: sessionVariables(settings),
      engineAddress: `${engine}:8080`,
      sidecarAddress: `${sidecar}:8080`,
      queryReplySeconds: statementSeconds + secondsBesideStatement,
    }),
  );
  const files = {
    ...unchangedFiles({ metrics: settings.monitoring !== "off" }),
    ...Object.fromEntries(renderedNames.map((name) => [name, derive({ rendered }, (known) => known.rendered[name])])),
  };
  return Object.fromEntries(Object.entries(files).map(([name, content]) => [`nginx/${name}`, content]));
}

/** Enough for the most connections that start.sh allows; tests/gateway/memory.test.ts measures them. */
export const gatewayMemoryMegabytes = 640;

/** Header by which the gateway proves itself to the auth sidecar. */
const keyFile = "nginx/gateway-key.conf";

function consolePorts({ consolePort: published, consoleClients }: Settings): readonly PublishedPort[] {
  if (consoleClients === undefined) return [{ internal: 32_000, published }];
  const clients = rangesOf(consoleClients);
  return clients.length === 0 ? [] : [{ internal: 32_000, published, clients }];
}

/** nginx: TLS, limits and routes to the engine and the sidecar. The only service that publishes ports. */
export function describeGateway(
  settings: Settings,
  { hostOf, certificate }: Pick<Surroundings, "hostOf" | "certificate">,
): ServiceDescription {
  const files = configuration(settings, hostOf);
  return {
    name: "gateway",
    run: "service",
    image: "gateway",
    command: ["sh", `${filesDirectory}/nginx/start.sh`],
    user: 10_101,
    environment: {},
    secrets: {},
    files: {
      ...files,
      [keyFile]: { secret: "gateway-key-header" },
      "tls/certificate.pem": certificate,
      "tls/private-key.pem": { secret: "tls-private-key" },
    },
    // follow.sh reloads nginx.
    liveFiles: [
      ...Object.keys(files).filter((path) => !path.endsWith(".sh")),
      keyFile,
      "tls/certificate.pem",
      "tls/private-key.pem",
    ],
    filesCheck: ["sh", `${filesDirectory}/nginx/start.sh`, "check"],
    temporary: { "/tmp": 64 },
    ports: [
      { internal: 8080, published: settings.httpPort },
      { internal: 8443, published: settings.httpsPort },
      ...consolePorts(settings),
    ],
    listens: [],
    ...(settings.monitoring === "off" ? {} : { metricsPort: 9090 }),
    health: { kind: "command", command: ["healthy"] },
    resources: { memoryMegabytes: gatewayMemoryMegabytes, cpuMillicores: 100, processes: 256 },
    calls: [graphqlService(settings), "auth-sidecar"],
    after: [],
    drainSeconds: 15,
    drainFile: "/tmp/draining",
    graceSeconds: 30,
  };
}
