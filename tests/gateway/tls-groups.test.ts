import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { expect, test } from "vitest";
import { pins } from "@routeql/pins/pins";
import { run } from "../harness/process.ts";
import { runId, runLabel } from "../harness/run/run.ts";

const start = resolve(import.meta.dirname, "../../nginx/configuration/start.sh");

/** Runs the gateway's start script with a program in nginx's place that reports this OpenSSL and prints the groups. No file is followed. */
async function startWith(openssl: string): Promise<{ readonly groups: string; readonly log: string }> {
  const nginx = `#!/bin/sh\\ncase $1 in\\n-v) echo "nginx version: nginx/1.30.0" >&2 ;;\\n-V) echo "built with OpenSSL ${openssl} 1 Jan 2026" >&2 ;;\\n*) cat /tmp/tls-groups.conf ;;\\nesac\\n`;
  const prepare = [
    "mkdir -p /run/routeql/tls /run/routeql/nginx",
    "touch /run/routeql/tls/certificate.pem",
    "echo 'engine=engine:8080 auth_sidecar=auth-sidecar:8080' >/run/routeql/nginx/addresses.sh",
    "echo 'follow() { :; }; files_changed() { :; }; write_version() { :; }' >/run/routeql/nginx/follow.sh",
    `printf '${nginx}' >/usr/local/bin/nginx`,
    "chmod +x /usr/local/bin/nginx",
    "sh -s",
  ].join("; ");
  const script = await readFile(start, "utf8");
  const { code, stdout, stderr } = await run(
    "docker",
    ["run", "--rm", "--interactive", "--label", `${runLabel}=${runId}`, pins.debian.image, "sh", "-c", prepare],
    { input: script },
  );
  expect(code, stderr).toBe(0);
  return { groups: stdout, log: stderr };
}

test.each(["3.5.1", "3.6.0", "4.0.0"])(
  "OpenSSL %s: the gateway offers the hybrid post-quantum group first",
  async (openssl) => {
    const { groups, log } = await startWith(openssl);
    expect(groups).toBe("ssl_ecdh_curve X25519MLKEM768:X25519:prime256v1:secp384r1;\n");
    expect(log).toBe("");
  },
);

test.each(["1.1.1", "3.0.17", "3.4.9"])(
  "OpenSSL %s: the gateway starts without that group and logs it",
  async (openssl) => {
    const { groups, log } = await startWith(openssl);
    expect(groups).toBe("ssl_ecdh_curve X25519:prime256v1:secp384r1;\n");
    expect(log).toContain(
      `nginx has OpenSSL ${openssl.split(".").slice(0, 2).join(".")}, which lacks the group X25519MLKEM768`,
    );
  },
);
