import type { Failure } from "@routeql/host/failure";
import { expect, test } from "vitest";
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
