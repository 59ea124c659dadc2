import type { Failure } from "@routeql/host/failure";
import { expect, test } from "vitest";
import { accessToken } from "./api-client.ts";

test("the remedy for a silent gateway is about the stack that was asked", async () => {
  const access = {
    stack: "prod",
    url: "https://127.0.0.1:1",
    consoleUrl: undefined,
    caFile: "/dev/null",
    serviceApiKey: "key",
    engineAccessKey: "master",
    adminEmail: "admin@example.net",
    adminPassword: "pw",
  };
  const failure = await accessToken(access, { email: "admin@example.net", password: "pw" }).then(
    () => undefined,
    (error: Failure) => error,
  );
  expect(failure?.message).toBe("https://127.0.0.1:1 does not answer: connect ECONNREFUSED 127.0.0.1:1");
  expect(failure?.remedy).toBe(
    "run `npm run up -- --stack prod`; `npm run logs -- --stack prod gateway` shows the gateway's log.",
  );
});
