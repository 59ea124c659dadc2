import { expect, test, vi } from "vitest";
import { requireProxies } from "./reachable.ts";

test("a proxy that refuses connections stops a download and is named with its variable", async () => {
  vi.stubEnv("no_proxy", "");
  vi.stubEnv("NO_PROXY", "");
  vi.stubEnv("http_proxy", "http://127.0.0.1:1");
  const refused = requireProxies("http://packages.example.net/");
  await expect(refused).rejects.toThrow("The proxy http://127.0.0.1:1, set in http_proxy, cannot be used");
  await expect(refused).rejects.toMatchObject({
    name: "Failure",
    remedy: expect.stringContaining("correct or unset http_proxy") as unknown,
  });
});

test("a host that needs no proxy is not asked for", async () => {
  vi.stubEnv("https_proxy", "http://127.0.0.1:1");
  vi.stubEnv("no_proxy", "example.org");
  await expect(requireProxies("https://packages.example.org/")).resolves.toBeUndefined();
});
