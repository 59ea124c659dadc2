import { dockerClient } from "@routeql/host/docker/client";
import { freePorts } from "@routeql/tests/harness/free-ports";
import { image } from "@routeql/tests/harness/containers/image";
import { runId, runLabel } from "@routeql/tests/harness/run/run";
import type { Case } from "../engine/contenders.ts";
import { startBaseline } from "../engine/contenders.ts";
import type { Target } from "../measure/http-load.ts";
import { type BenchStack, containerOf } from "./bench-stack.ts";

interface PlainNginx {
  readonly port: number;
  /** Host and port that it asks. */
  readonly upstream: string;
  readonly connections: number;
  /** The header Connection for the upstream. */
  readonly connection: string;
}

/** The configuration that nginx's manual gives for TLS and kept upstream connections or WebSockets, and otherwise nginx's defaults. */
const configuration = ({ port, upstream, connections, connection }: PlainNginx): string => `
daemon off;
user root;
pid /tmp/nginx.pid;
error_log stderr;
worker_processes auto;
events { worker_connections ${connections}; }
http {
  access_log /dev/stdout;
  upstream node { server ${upstream}; keepalive 64; }
  server {
    listen 127.0.0.1:${port} ssl;
    ssl_certificate /run/routeql/tls/certificate.pem;
    ssl_certificate_key /run/routeql/tls/private-key.pem;
    location / {
      proxy_pass http://node;
      proxy_http_version 1.1;
      proxy_set_header Upgrade $http_upgrade;
      proxy_set_header Connection "${connection}";
    }
  }
}
`;

/** A setup by hand for comparison: nginx with TLS before node:http and node-postgres, nothing else. @returns the request for a case */
export async function startPlainNginx(
  stack: BenchStack,
  cases: readonly Case[],
  stopped: AsyncDisposableStack,
): Promise<(asked: Case) => Target> {
  const baseline = await startBaseline(stack.databaseUrl, cases);
  stopped.use(baseline.server);
  const upstream = `127.0.0.1:${baseline.target(cases[0]!).port}`;
  const port = await startNginx(stack, { upstream, connections: 1_024, connection: "" }, stopped);
  const { authority } = stack.gateway;
  return (asked) => ({ ...baseline.target(asked), host: "127.0.0.1", port, authority });
}

/** For comparison: nginx with TLS and nothing else before the WebSockets of the stack's engine. @returns its port on the loopback address */
export function startPlainWebSockets(
  stack: BenchStack,
  connections: number,
  stopped: AsyncDisposableStack,
): Promise<number> {
  const upstream = `${stack.engine.host}:${stack.engine.port}`;
  return startNginx(stack, { upstream, connections, connection: "upgrade" }, stopped);
}

async function startNginx(
  stack: BenchStack,
  wanted: Omit<PlainNginx, "port">,
  stopped: AsyncDisposableStack,
): Promise<number> {
  const [port = 0] = await freePorts(1);
  const write = 'printf %s "$0" >/tmp/plain.conf && exec nginx -c /tmp/plain.conf';
  const container = await dockerClient().createContainer({
    Image: await image("gateway"),
    Entrypoint: ["sh", "-c", write],
    Cmd: [configuration({ ...wanted, port })],
    User: "0",
    Labels: { [runLabel]: runId },
    // The network of the host spares this contender Docker's bridge. The certificate of the stack makes handshakes equal.
    HostConfig: { NetworkMode: "host", VolumesFrom: [`${containerOf(stack.name, "gateway")}:ro`] },
  });
  stopped.defer(() => container.remove({ force: true }));
  await container.start();
  return port;
}
