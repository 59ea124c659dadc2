import { renderFiles, renderGatewayKey, unchangedFiles } from "../rendering/render.ts";
import type { GatewaySettings } from "../rendering/settings.ts";

/** Settings of a gateway; a test overrides those that it examines. */
export const gatewaySettings: GatewaySettings = {
  publicHost: "routes.example.net",
  httpsPort: 443,
  consolePort: 32_000,
  console: true,
  metadataApi: false,
  corsOrigins: ["https://app.example.net"],
  sessionVariables: ["X-Hasura-Org-Id"],
  engineAddress: "engine:8080",
  sidecarAddress: "auth-sidecar:8080",
  bodyLimitKilobytes: 256,
  requestsPerSecondPerAddress: 50,
  burst: 100,
  loginRequestsPerMinutePerAddress: 30,
  connectionsPerAddress: 200,
  queryReplySeconds: 45,
  idleWebSocketSeconds: 60,
};

/** All files for /run/routeql/nginx, by name. @param gatewayKey a secret of letters and digits, see {@link renderGatewayKey} */
export const renderGateway = (settings: GatewaySettings, gatewayKey = "0".repeat(32)): Record<string, string> => ({
  ...unchangedFiles(settings),
  ...renderFiles(settings),
  "gateway-key.conf": renderGatewayKey(gatewayKey),
});
