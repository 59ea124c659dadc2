import { afterAll, beforeAll, expect, test } from "vitest";
import { renderGateway } from "@routeql/nginx/render";
import { image } from "../harness/image.ts";
import { Confined } from "./support/confined.ts";
import { roomySettings } from "./support/gateway-container.ts";

let gateway: Confined;
beforeAll(() => {
  gateway = new Confined("/unused", ["/tmp"]);
  for (const [name, content] of Object.entries(renderGateway(roomySettings))) gateway.put(`nginx/${name}`, content);
  gateway.put("tls/certificate.pem", "the start only compares it");
});
afterAll(() => gateway[Symbol.asyncDispose]());

/** The files that start.sh writes when nginx names these versions. */
async function written(nginx: string, openssl: string): Promise<string> {
  const versions = `nginx version: nginx/${nginx}\\nbuilt with OpenSSL ${openssl} 1 Jan 2025\\n`;
  const script = `nginx() { printf '${versions}'; }; (. /run/routeql/nginx/start.sh); cat /tmp/engine-servers.conf /tmp/auth-sidecar-servers.conf /tmp/tls-groups.conf`;
  return (await gateway.runOnce(await image("gateway"), script)).stdout;
}

const looksUp = "server engine:8080 resolve max_fails=0;\nserver auth-sidecar:8080 resolve max_fails=0;\n";
const hasNoAddress = "server 127.0.0.1:1 down;\nserver 127.0.0.1:1 down;\n";
const hybrid = "ssl_ecdh_curve X25519MLKEM768:X25519:prime256v1:secp384r1;\n";
const classic = "ssl_ecdh_curve X25519:prime256v1:secp384r1;\n";

test.each([
  ["1.26.3", "3.5.4", hasNoAddress + hybrid],
  ["1.27.2", "3.0.17", hasNoAddress + classic],
  ["1.27.3", "3.4.1", looksUp + classic],
  ["1.28.0", "3.0.16", looksUp + classic],
  ["1.30.7", "3.5.7", looksUp + hybrid],
  ["2.0.0", "4.0.0", looksUp + hybrid],
])("nginx %s with OpenSSL %s gets servers and groups that it knows", async (nginx, openssl, files) => {
  expect(await written(nginx, openssl)).toBe(files);
});
