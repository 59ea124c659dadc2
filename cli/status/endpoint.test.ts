import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer as createPlainServer } from "node:http";
import { createServer } from "node:https";
import { once } from "node:events";
import { type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { issueServer, type IssueOptions } from "@routeql/infra/testing/certificates";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { endpointState } from "./endpoint.ts";

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "routeql-endpoint-"));
});
afterAll(() => rm(folder, { recursive: true }));

const loopback = "127.0.0.1";

/** A gateway whose certificate its clients trust. */
async function serve(options: IssueOptions) {
  const { pem, keyPem } = await issueServer(options);
  const caFile = join(folder, "ca.pem");
  await writeFile(caFile, pem);
  const server = createServer({ cert: pem, key: keyPem }, (_, response) => void response.end());
  await once(server.listen(0, loopback), "listening");
  const { port } = server.address() as AddressInfo;
  return {
    at: (name: string) => ({ url: `https://${name}:${port}`, caFile }),
    [Symbol.asyncDispose]: async () => {
      await once(server.close(), "close");
    },
  };
}

const missing = "routes.invalid";

test("asks by the public name", async () => {
  await using gateway = await serve({ names: ["localhost"] });
  const state = await endpointState(gateway.at("localhost"), loopback);
  expect(state).toMatchObject({ status: 200 });
  expect(state.nameProblem).toBeUndefined();
});

test("asks the published address for a name that leads elsewhere, and says so", async () => {
  await using gateway = await serve({ names: [missing] });
  expect(await endpointState(gateway.at(missing), loopback)).toMatchObject({
    status: 200,
    nameProblem: expect.stringContaining(`${missing} has no address here: getaddrinfo `) as unknown,
  });
  expect((await endpointState(gateway.at(missing))).error).toContain("getaddrinfo");
});

test.each([
  ["has ended", { names: ["localhost"], from: -9, to: -2 }, "certificate has expired"],
  ["is for another name", { names: ["b.example.net"] }, "altnames"],
])("tells the client's reason for a certificate that %s", async (_, options, reason) => {
  await using gateway = await serve(options);
  expect(await endpointState(gateway.at("localhost"), loopback)).toMatchObject({
    error: expect.stringContaining(reason) as unknown,
    refusedCertificate: true,
    certificateExpires: expect.stringMatching(/^\d{4}-/) as unknown,
  });
});

test("names another program at the port, without OpenSSL's text", async () => {
  const server = createPlainServer((_, response) => void response.end());
  await once(server.listen(0, loopback), "listening");
  onTestFinished(async () => void (await once(server.close(), "close")));
  const { port } = server.address() as AddressInfo;
  expect(await endpointState({ url: `https://localhost:${port}`, caFile: join(folder, "none") }, loopback)).toEqual({
    url: `https://localhost:${port}`,
    error: "another program uses its port, or answers without TLS",
  });
});
