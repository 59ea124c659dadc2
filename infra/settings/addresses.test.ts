import { expect, test } from "vitest";
import { allowedOrigins, consoleAddress, serviceAddress } from "./addresses.ts";

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

test("WebSockets are open to pages of both listeners and to the origins of the setting", () => {
  expect(allowedOrigins(settings)).toBe("https://localhost,https://localhost:32000");
  const corsOrigins = "https://app.example.net, http://localhost:5173";
  expect(allowedOrigins({ ...settings, corsOrigins })).toBe(
    "https://localhost,https://localhost:32000,https://app.example.net,http://localhost:5173",
  );
  expect(allowedOrigins({ ...settings, corsOrigins: "*" })).toBe("*");
});
