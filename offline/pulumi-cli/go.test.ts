import { expect, test } from "vitest";
import { goEnvironment, planGo } from "./go.ts";

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

test.each([
  ["go1.26.8", true, "path"],
  ["go1.27", true, "path"],
  ["go1.26.7", true, "toolchain-by-path"],
  ["go1.19.8", false, "toolchain-by-path"],
  ["go1.24.4", true, "toolchain-by-path"],
  [undefined, true, "toolchain-by-package"],
  [undefined, false, "none"],
] as const)("with %s installed and packages installable: %s, Go comes by %s", (installed, packages, source) => {
  expect(planGo(installed, "1.26.8", packages)).toBe(source);
});
