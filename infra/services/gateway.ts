import type { Input } from "@pulumi/pulumi";
import { createConsolePage } from "../../engine/src/console/page.ts";
import { renderGateway } from "../../nginx/render.ts";
import type { GatewaySettings } from "../../nginx/render.ts";
import type { PlainSettings } from "../settings/list.ts";
import { hostInAddress } from "../settings/host-in-address.ts";
import { filesDirectory } from "./description.ts";
import type { ServiceDescription, ServiceName } from "./description.ts";

export interface GatewaySurroundings {
  /** Whole DNS name of a service: nginx looks names up as they are. */
  readonly hostOf: (service: ServiceName) => string;
  /** Certificate with its chain, PEM. */
  readonly certificate: Input<string>;
}

/** This project's own console works with any engine through the API alone, so that Hasura's other APIs can stay closed. */
function consolePage(): GatewaySettings["consolePage"] {
  const { text, headers } = createConsolePage()("/console");
  return { text, policy: headers?.["content-security-policy"] ?? "default-src 'none'" };
}

/** Beside a statement's own seconds the engine waits 5 s for a connection and 10 s for an answer that does not come; as much again is room. */
const secondsBesideStatement = 30;

function configuration(settings: PlainSettings, hostOf: GatewaySurroundings["hostOf"]): Record<string, string> {
  const files = renderGateway({
    publicHost: hostInAddress(settings.publicHost),
    httpsPort: settings.httpsPort,
    consolePort: settings.consolePort,
    console: settings.engineConsole,
    consoleUpstreamPath: "/console",
    consolePage: settings.engine === "hasura" && settings.engineConsole ? consolePage() : undefined,
    engineAddress: `${hostOf("engine")}:8080`,
    sidecarAddress: `${hostOf("auth-sidecar")}:8080`,
    bodyLimitKilobytes: settings.bodyLimitKilobytes,
    requestsPerSecondPerAddress: settings.requestsPerSecondPerAddress,
    burst: settings.requestBurst,
    loginRequestsPerMinutePerAddress: settings.loginRequestsPerMinutePerAddress,
    connectionsPerAddress: settings.connectionsPerAddress,
    queryReplySeconds: settings.statementTimeoutSeconds + secondsBesideStatement,
    idleWebSocketSeconds: settings.idleWebSocketSeconds,
  });
  return Object.fromEntries(Object.entries(files).map(([name, content]) => [`nginx/${name}`, content]));
}

/** nginx: TLS, limits and the way to the engine and the sidecar. The only service that publishes ports. */
export function describeGateway(settings: PlainSettings, { hostOf, certificate }: GatewaySurroundings): ServiceDescription {
  return {
    name: "gateway",
    run: "service",
    image: "gateway",
    command: ["sh", `${filesDirectory}/nginx/start.sh`],
    user: 10_101,
    environment: {},
    secrets: {},
    files: {
      ...configuration(settings, hostOf),
      "tls/certificate.pem": certificate,
      "tls/private-key.pem": { secret: "tls-private-key" },
    },
    temporary: { "/tmp": 64 },
    ports: [
      { internal: 8080, published: settings.httpPort },
      { internal: 8443, published: settings.httpsPort },
      { internal: 32_000, published: settings.consolePort },
    ],
    listens: [],
    health: { kind: "command", command: ["healthy"] },
    resources: { memoryMegabytes: 256, cpuMillicores: 100, processes: 256 },
    calls: ["engine", "auth-sidecar"],
    after: ["engine", "auth-sidecar"],
    drainSeconds: 15,
    graceSeconds: 30,
  };
}
