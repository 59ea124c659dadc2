import { randomBytes } from "node:crypto";
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePorts } from "@routeql/tests/harness/free-ports";
import { image } from "@routeql/tests/harness/image";
import { mustRun } from "@routeql/tests/harness/process";
import { runId, runLabel } from "@routeql/tests/harness/run";
import type { Case } from "../engine/contenders.ts";
import { startBaseline } from "../engine/contenders.ts";
import type { Target } from "../measure/http-load.ts";
import type { BenchStack } from "./bench-stack.ts";

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

/** A setup by hand for comparison: nginx with TLS in front of node:http and node-postgres, without tokens, permissions and limits. */
export class PlainNginx implements AsyncDisposable {
  readonly #stop: () => Promise<void>;
  readonly target: (asked: Case) => Target;

  private constructor(target: (asked: Case) => Target, stop: () => Promise<void>) {
    this.target = target;
    this.#stop = stop;
  }

  static async start(stack: BenchStack, cases: readonly Case[]): Promise<PlainNginx> {
    const baseline = await startBaseline({ databaseUrl: await stack.databaseUrl(), cases });
    const [port = 0] = await freePorts(1);
    const folder = await mkdtemp(join(tmpdir(), "routeql-plain-"));
    const container = `routeql-plain-${randomBytes(4).toString("hex")}`;
    const stop = async (): Promise<void> => {
      await mustRun("docker", ["rm", "--force", container]);
      await rm(folder, { recursive: true });
      await baseline.server[Symbol.asyncDispose]();
    };
    await chmod(folder, 0o755);
    await writeFile(join(folder, "nginx.conf"), configuration(port, baseline.target(cases[0] as Case).port));
    // The network of the host spares this contender Docker's bridge, which the stack's gateway has to pass.
    const options = [
      "--detach",
      "--name",
      container,
      "--label",
      `${runLabel}=${runId}`,
      "--network",
      "host",
      "--user",
      "0",
    ];
    // The certificate of the stack, for equal handshakes.
    const mounts = ["--volumes-from", `routeql-${stack.name}-gateway:ro`, "--volume", `${folder}:/etc/plain:ro`];
    await mustRun("docker", [
      "run",
      ...options,
      ...mounts,
      "--entrypoint",
      "nginx",
      await image("gateway"),
      "-c",
      "/etc/plain/nginx.conf",
    ]);
    return new PlainNginx(
      (asked) => ({ ...baseline.target(asked), host: "127.0.0.1", port, authority: stack.gateway.authority }),
      stop,
    );
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#stop();
  }
}
