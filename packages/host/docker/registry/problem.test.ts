import { expect, test } from "vitest";
import { registryProblem } from "./problem.ts";

test.each([
  ["(HTTP code 401) no such image - unauthorized: authentication required", "login"],
  ['Head "http://127.0.0.1:5000/v2/a/manifests/1": no basic auth credentials', "login"],
  [
    "pull access denied for a, repository does not exist or may require 'docker login': denied: requested access to the resource is denied",
    "denied",
  ],
  ["unexpected status from HEAD request to https://r/v2/a/manifests/1: 403 Forbidden", "denied"],
  ["manifest for 127.0.0.1:5000/a:1 not found: manifest unknown: manifest unknown", "name"],
  ["toomanyrequests: You have reached your unauthenticated pull rate limit.", "rate"],
  ['Get "https://r/v2/": dial tcp: lookup r on 192.0.2.1:53: no such host', "unreachable"],
  ['Get "https://r/v2/": dial tcp 192.0.2.1:443: connect: no route to host', "unreachable"],
  [
    'Get "https://r/v2/": net/http: request canceled while waiting for connection (Client.Timeout exceeded while awaiting headers)',
    "unreachable",
  ],
  ['Get "https://r/v2/": proxyconnect tcp: dial tcp 192.0.2.1:3128: connect: connection refused', "proxy"],
  ['Get "https://r/v2/": x509: certificate signed by unknown authority', "certificate"],
  ["something else", "other"],
])("%s is a problem of the kind %s", (text, kind) => {
  const problem = registryProblem(new Error(text), "r.example.net/a:1", false);
  expect(problem.kind).toBe(kind);
  expect(problem.reason).toContain(text.replace(/^\(HTTP.* - /, ""));
  expect(problem.remedy).toMatch(/\.$/);
});

test("the remedy for a login differs when the stored credentials are rejected", () => {
  const error = new Error("unauthorized: incorrect username or password");
  expect(registryProblem(error, "r.example.net/a:1", false).remedy).toBe("run docker login r.example.net.");
  expect(registryProblem(error, "r.example.net/a:1", true).remedy).toBe(
    "the registry rejects the stored credentials: run docker login r.example.net again.",
  );
});
