import { dockerClient } from "@routeql/host/docker/client";
import { freePorts } from "@routeql/tests/harness/free-ports";
import { image } from "@routeql/tests/harness/containers/image";
import { runId, runLabel } from "@routeql/tests/harness/run/run";
import type { Case } from "../engine/contenders.ts";
import { startBaseline } from "../engine/contenders.ts";
import type { Target } from "../measure/http-load.ts";
import { type BenchStack, containerOf } from "./bench-stack.ts";

/** The configuration that nginx's manual gives for TLS and kept upstream connections, and otherwise nginx's defaults. */
const configuration = (port: number, upstream: number): string => `
daemon off;
user root;
pid /tmp/nginx.pid;
error_log stderr;
worker_processes auto;
events { worker_connections 1024; }
http {
  access_log /dev/stdout;
  upstream node { server 127.0.0.1:${upstream}; keepalive 64; }
  server {
    listen 127.0.0.1:${port} ssl;
    ssl_certificate /run/routeql/tls/certificate.pem;
    ssl_certificate_key /run/routeql/tls/private-key.pem;
    location / {
      proxy_pass http://node;
      proxy_http_version 1.1;
      proxy_set_header Connection "";
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
  const [port = 0] = await freePorts(1);
  const write = 'printf %s "$0" >/tmp/plain.conf && exec nginx -c /tmp/plain.conf';
  const container = await dockerClient().createContainer({
    Image: await image("gateway"),
    Entrypoint: ["sh", "-c", write],
    Cmd: [configuration(port, baseline.target(cases[0]!).port)],
    User: "0",
    Labels: { [runLabel]: runId },
    // The network of the host spares this contender Docker's bridge. The certificate of the stack makes handshakes equal.
    HostConfig: { NetworkMode: "host", VolumesFrom: [`${containerOf(stack.name, "gateway")}:ro`] },
  });
  stopped.defer(() => container.remove({ force: true }));
  await container.start();
  const { authority } = stack.gateway;
  return (asked) => ({ ...baseline.target(asked), host: "127.0.0.1", port, authority });
}
