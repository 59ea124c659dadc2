import { once } from "node:events";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import type { Failure } from "@routeql/host/failure";
import { issueServer } from "@routeql/infra/testing/certificates";
import { expect, onTestFinished, test } from "vitest";
import { accessToken } from "./api-client.ts";

async function failureAt(url: string): Promise<Failure | undefined> {
  const access = {
    stack: "prod",
    url,
    consoleUrl: undefined,
    caFile: "/dev/null",
    serviceApiKey: "key",
    engineAccessKey: "master",
    adminEmail: "admin@example.net",
    adminPassword: "pw",
  };
  return accessToken(access, { email: "admin@example.net", password: "pw" }).then(
    () => undefined,
    (error: Failure) => error,
  );
}

test("the remedy for a name without an address is the name, not the stack", async () => {
  const failure = await failureAt("https://routeql.invalid");
  expect(failure?.message).toBe("https://routeql.invalid does not answer: getaddrinfo ENOTFOUND routeql.invalid");
  expect(failure?.remedy).toMatch("PUBLIC_HOST must resolve on this machine");
});

test("the remedy for a silent gateway is about the stack that was asked", async () => {
  const failure = await failureAt("https://127.0.0.1:1");
  expect(failure?.message).toBe("https://127.0.0.1:1 does not answer: connect ECONNREFUSED 127.0.0.1:1");
  expect(failure?.remedy).toBe(
    "run `npm run up -- --stack prod`; `npm run logs -- --stack prod gateway` shows the gateway's log.",
  );
});

test("the remedy for a refused certificate is the status, not the log of the gateway", async () => {
  const { pem, keyPem } = await issueServer({ names: ["localhost"] });
  const server = createServer({ cert: pem, key: keyPem });
  await once(server.listen(0, "127.0.0.1"), "listening");
  onTestFinished(async () => void (await once(server.close(), "close")));
  const failure = await failureAt(`https://localhost:${(server.address() as AddressInfo).port}`);
  expect(failure?.message).toContain("has a certificate that is refused: ");
  expect(failure?.remedy).toBe(
    "`npm run status -- --stack prod` names the problem of the certificate and the next command.",
  );
});
