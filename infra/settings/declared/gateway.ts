/** Public addresses, the certificate, and limits of requests: sections of the list in list.ts. */
import { addresses, host, port, range } from "../values/checks.ts";
import { origins } from "../values/addresses.ts";
import { file, number, text } from "../values/setting.ts";

export const addressSettings = {
  publicHost: text({
    argument: "gateway.publicHost",
    environment: "PUBLIC_HOST",
    default: "localhost",
    meaning: "Host name that clients use, in URLs and in the generated certificate.",
    ...host,
  }),
  hostAddress: text({
    argument: "gateway.hostAddress",
    environment: "HOST_ADDRESS",
    default: "127.0.0.1",
    meaning: "Docker: host addresses of the published ports; `*` for all of IPv4 and IPv6, `0.0.0.0` for all of IPv4.",
    ...addresses,
  }),
  httpPort: number({
    argument: "gateway.httpPort",
    environment: "HTTP_PORT",
    default: 80,
    meaning: "Published port that redirects to https.",
    ...port,
  }),
  httpsPort: number({
    argument: "gateway.httpsPort",
    environment: "HTTPS_PORT",
    default: 443,
    meaning: "Published port of the API.",
    ...port,
  }),
  consolePort: number({
    argument: "gateway.consolePort",
    environment: "CONSOLE_PORT",
    default: 32_000,
    meaning: "Published port of the API and, if enabled, of the console.",
    ...port,
  }),
  corsOrigins: text({
    argument: "gateway.corsOrigins",
    environment: "CORS_ORIGINS",
    meaning:
      "Origins of web pages and apps (`capacitor://localhost`) that may call the API, separated by commas; `*` allows all.",
    ...origins,
  }),
} as const;

export const certificateSettings = {
  tlsCertificateFile: file({
    argument: "tls.certificateFile",
    environment: "TLS_CERTIFICATE_FILE",
    meaning: "Your certificate (PEM, with its chain). Without it the stack signs one.",
  }),
  tlsPrivateKeyFile: file({
    argument: "tls.privateKeyFile",
    environment: "TLS_PRIVATE_KEY_FILE",
    confidential: true,
    meaning: "Private key (PEM) of your certificate.",
  }),
  tlsCaFile: file({
    argument: "tls.caFile",
    environment: "TLS_CA_FILE",
    meaning:
      "Certificate authorities (PEM) that clients trust for your certificate. Without it: public ones, or the self-signed end of the chain.",
  }),
} as const;

export const requestLimits = {
  requestsPerSecondPerAddress: number({
    argument: "gateway.requestsPerSecondPerAddress",
    environment: "REQUESTS_PER_SECOND_PER_ADDRESS",
    default: 50,
    meaning: "Rate limit of one address.",
    ...range(1, 100_000),
  }),
  requestBurst: number({
    argument: "gateway.requestBurst",
    environment: "REQUEST_BURST",
    default: 100,
    meaning: "Requests above that rate before 429.",
    ...range(1, 100_000),
  }),
  loginRequestsPerMinutePerAddress: number({
    argument: "gateway.loginRequestsPerMinutePerAddress",
    environment: "LOGIN_REQUESTS_PER_MINUTE_PER_ADDRESS",
    default: 30,
    meaning: "Rate limit of logins from one address.",
    ...range(1, 100_000),
  }),
  connectionsPerAddress: number({
    argument: "gateway.connectionsPerAddress",
    environment: "CONNECTIONS_PER_ADDRESS",
    default: 100,
    meaning: "Concurrent connections from one address, including WebSockets.",
    ...range(1, 65_535),
  }),
  idleWebSocketSeconds: number({
    argument: "gateway.idleWebSocketSeconds",
    environment: "IDLE_WEBSOCKET_SECONDS",
    default: 120,
    meaning: "The gateway closes a WebSocket without any traffic after this time.",
    ...range(10, 86_400),
  }),
} as const;
