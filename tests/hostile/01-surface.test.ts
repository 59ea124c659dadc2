import { stack } from "../e2e/support/stack/stack.ts";
import { paths } from "@routeql/contract/paths";
import { statuses } from "../harness/exchange.ts";
import { type Attack, attacks, notRefused } from "./support/attack.ts";
import { raw } from "./support/raw.ts";

const served: Readonly<Record<string, readonly string[]>> = {
  [paths.graphql]: ["POST"],
  [paths.loginCredentials]: ["POST"],
  [paths.loginLdap]: ["POST"],
  [paths.token]: ["GET", "POST"],
  [paths.logout]: ["DELETE"],
  [paths.singleStepToken]: ["POST"],
  [paths.health]: ["GET", "HEAD"],
};

const methods = [
  ..."GET HEAD POST PUT PATCH DELETE OPTIONS TRACE TRACK CONNECT PROPFIND PROPPATCH MKCOL COPY MOVE LOCK UNLOCK".split(
    " ",
  ),
  ..."SEARCH REPORT PURGE DEBUG LINK BREW PRI get pOST".split(" "),
  "X".repeat(200),
  "GET/",
  "-",
];

const keys = `X-Engine-Access-Key: ${stack.engineAccessKey}\r\nX-Hasura-Admin-Secret: ${stack.engineAccessKey}\r\nX-Service-Api-Key: ${stack.serviceApiKey}\r\n`;

function request(method: string, target: string, more = "", body = ""): string {
  const type = body === "" ? "" : `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n`;
  return `${method} ${target} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n${type}${more}\r\n${body}`;
}

attacks("serves only the specified methods, on any path and listener", () =>
  [stack.url, stack.consoleUrl].flatMap((base) =>
    Object.entries(served).flatMap(([path, allowed]) =>
      methods
        .filter((method) => !allowed.includes(method))
        .map((method): Attack => ({
          name: `${method} ${path}`,
          async run() {
            const text = await raw(request(method, path, keys), { base });
            // An invalid method closes the connection; an empty reply also counts as a rejection.
            return text === "" ? undefined : notRefused(statuses(text)[0] ?? 0, text);
          },
        })),
    ),
  ),
);

/** Paths of services behind the gateway, and common targets of scanners. */
const hidden = [
  "/v1/graphql",
  "/v1alpha1/graphql",
  "/v1/metadata",
  "/v2/query",
  "/v1/query",
  "/v1/version",
  "/v1alpha1/config",
  "/v1/relay",
  "/v1beta1/relay",
  "/v1alpha1/pg_dump",
  "/apis/migrate",
  "/metrics",
  "/jwks",
  "/livez",
  "/readyz",
  "/-/health/engine",
  "/-/health/auth-sidecar",
  "/-/graphql-websocket",
  "/-/errors/unavailable",
  "/nginx_status",
  "/server-status",
  "/.git/config",
  "/.env",
  "/run/routeql/secrets/engine-access-key",
  "/etc/passwd",
  "/graphiql",
  "/api/graphql/explain",
  "/dev/pprof",
];

/** Spellings of a path that a proxy and a service behind it may interpret differently. */
const spellings: readonly ((path: string) => string)[] = [
  (path) => path,
  (path) => `${path}/`,
  (path) => `/${path}`,
  (path) => `/.${path}`,
  (path) => `/api/graphql/..${path}`,
  (path) => `/api/graphql/../..${path}`,
  (path) => `/api/graphql/%2e%2e${path}`,
  (path) => `/api/graphql${path.replaceAll("/", "%2f")}`,
  (path) => `/api/graphql/..%2f..${path.replaceAll("/", "%2f")}`,
  (path) => `/api/graphql/%252e%252e${path.replaceAll("/", "%252f")}`,
  (path) => `/api/graphql;${path}`,
  (path) => `/api/graphql/..;${path}`,
  (path) => `/api/graphql%00${path}`,
  (path) => `/api/graphql\\..${path.replaceAll("/", "\\")}`,
  (path) => `/api/graphql%0d%0a${path}`,
  (path) => `/jwt/auth/../..${path}`,
  (path) => `/console/..${path}`,
  (path) => `/console/%2e%2e${path}`,
  (path) => path.toUpperCase(),
  (path) => `http://engine:8080${path}`,
  (path) => `http://auth-sidecar:8080${path}`,
  (path) => `https://localhost:9090${path}`,
  (path) => `//engine:8080${path}`,
];

/** Matches replies of a service behind the gateway. `{"error":…,"code":"not-found"}` is the gateway's own. */
const inside = /"(resource_version|server_type|tables|keys|parts|version)"|metric|process_|root:|# HELP|\[core\]/;

attacks(
  "no spelling of a path reaches a hidden service, with any key",
  () =>
    [stack.url, stack.consoleUrl].flatMap((base) =>
      hidden.flatMap((path) =>
        spellings.map((spelling): Attack => ({
          name: spelling(path),
          async run() {
            const body = '{"type":"export_metadata","version":2,"args":{}}';
            const text = await raw(request("POST", spelling(path), keys, body), { base });
            return inside.test(text) ? text.slice(-200) : notRefused(statuses(text)[0] ?? 0, text);
          },
        })),
      ),
    ),
  { atOnce: 16 },
);

const injections = [
  "%0d%0aX-Injected:%20yes",
  "%0aX-Injected: yes",
  "%0d%0a%0d%0a<html>",
  "%E5%98%8A%E5%98%8DX-Injected:yes",
  "\tX-Injected: yes",
  "\x0bX-Injected: yes",
];

attacks("no reply header contains client input from path, query, host or value", () =>
  [stack.url, stack.consoleUrl, stack.httpUrl].flatMap((base) =>
    injections.flatMap((text) =>
      [
        request("GET", `/${text}`),
        request("GET", `/api/auth/jwt?${text}`, keys),
        request("GET", "/", `X-Request-ID: a${text}\r\n`),
        request("GET", "/").replace("Host: localhost", `Host: attacker.example${text}`),
        request(
          "GET",
          "/",
          `X-Forwarded-Host: attacker.example${text}\r\nX-Forwarded-Proto: http\r\nForwarded: host=attacker.example\r\n`,
        ),
        request(
          "POST",
          paths.graphql,
          `Origin: https://attacker.example${text}\r\n${keys}`,
          '{"query":"{__typename}"}',
        ),
        request("GET", paths.token, `Cookie: sid=${text}\r\n${keys}`),
      ].map((bytes): Attack => ({
        name: JSON.stringify(bytes.slice(0, 60)),
        async run() {
          const [head = ""] = (await raw(bytes, { base })).split("\r\n\r\n");
          if (/^x-injected/im.test(head)) return "the header is there";
          if (/attacker\.example/i.test(head)) return head.slice(0, 200);
          return head.startsWith("HTTP/1.1 5") ? head.slice(0, 100) : undefined;
        },
      })),
    ),
  ),
);
