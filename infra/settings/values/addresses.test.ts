import { expect, test } from "vitest";
import { consoleAddress, serviceAddress } from "./addresses.ts";

const settings = { publicHost: "localhost", httpsPort: 443, consolePort: 32_000, engineConsole: true };

test("port 443 is left out of the service's address", () => {
  expect(serviceAddress(settings)).toBe("https://localhost");
  expect(serviceAddress({ ...settings, httpsPort: 8443 })).toBe("https://localhost:8443");
});

test("an IPv6 address is in brackets", () => {
  expect(serviceAddress({ ...settings, publicHost: "2001:db8::1", httpsPort: 8443 })).toBe(
    "https://[2001:db8::1]:8443",
  );
});

test("the console has an address only where it is enabled", () => {
  expect(consoleAddress(settings)).toBe("https://localhost:32000/");
  expect(consoleAddress({ ...settings, engineConsole: false })).toBeUndefined();
});
