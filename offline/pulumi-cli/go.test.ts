import { expect, test } from "vitest";
import { goEnvironment } from "./go.ts";

test("overrides settings that change the build and keeps the user's proxy and caches", () => {
  const environment = goEnvironment({
    PATH: "/bin",
    GOFLAGS: "-mod=vendor",
    GOTOOLCHAIN: "go1.20",
    GOROOT: "/old",
    GOOS: "plan9",
    GOPROXY: "https://proxy.example.net",
    GOMODCACHE: "/cache",
  });
  expect(environment).toMatchObject({
    PATH: "/bin",
    GOFLAGS: "",
    GOTOOLCHAIN: "local",
    CGO_ENABLED: "0",
    GOPROXY: "https://proxy.example.net",
    GOMODCACHE: "/cache",
  });
  expect(environment).not.toHaveProperty("GOROOT");
  expect(environment).not.toHaveProperty("GOOS");
});
