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
  const script = `nginx() { printf '${versions}'; }; (. /run/routeql/nginx/start.sh); cat /tmp/tls-groups.conf`;
  return (await gateway.runOnce(await image("gateway"), script)).stdout;
}

const hybrid = "ssl_ecdh_curve X25519MLKEM768:X25519:prime256v1:secp384r1;\n";
const classic = "ssl_ecdh_curve X25519:prime256v1:secp384r1;\n";

test.each([
  ["1.26.3", "3.5.4", hybrid],
  ["1.27.2", "3.0.17", classic],
  ["1.27.3", "3.4.1", classic],
  ["2.0.0", "4.0.0", hybrid],
])("nginx %s with OpenSSL %s gets groups that it knows", async (nginx, openssl, groups) => {
  expect(await written(nginx, openssl)).toBe(groups);
});
