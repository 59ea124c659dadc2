import { once } from "node:events";
import { connect } from "node:http2";
import { Agent, get } from "node:https";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type GatewayParts, startGatewayParts } from "./support/gateway-parts.ts";

/** As the pod does before it stops (infra/services/gateway.ts). */
let parts: GatewayParts;
beforeAll(async () => {
  parts = await startGatewayParts();
});
afterAll(() => parts[Symbol.asyncDispose]());

const options = () => ({
  host: parts.gateway.getHost(),
  port: parts.gateway.port("api"),
  ca: parts.gateway.certificate.certificate,
  servername: "localhost",
});

/** Whether the client's connection stays open after a reply. */
async function staysOpen(path: string): Promise<boolean> {
  const agent = new Agent({ keepAlive: true });
  try {
    const [reply] = await once(get({ ...options(), path, agent }), "response");
    const { socket } = reply;
    reply.resume();
    await once(reply, "close");
    return !socket.destroyed && Object.values(agent.freeSockets).flat().includes(socket);
  } finally {
    agent.destroy();
  }
}

test("before it stops, a gateway asks clients of HTTP/1.1 to connect again, with every reply", async () => {
  expect(await staysOpen("/livez")).toBe(true);
  await parts.gateway.exec(["touch", "/tmp/draining"]);
  for (const path of ["/livez", "/api/graphql", "/jwt/auth", "/absent"])
    expect(await staysOpen(path), path).toBe(false);
  const session = connect(`https://${options().host}:${options().port}`, options());
  const request = session.request({ ":path": "/livez" });
  const [headers] = await once(request, "response");
  expect(headers).not.toHaveProperty("connection");
  session.destroy();
  await parts.gateway.exec(["rm", "/tmp/draining"]);
  expect(await staysOpen("/livez")).toBe(true);
});
