import { expect, test } from "vitest";
import { consoleAddress, origins, serviceAddress } from "./addresses.ts";

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

test.each([
  "*",
  "https://app.example.net, http://localhost:3000",
  "https://[2001:db8::1]:8443",
  "https://my_app.example.net",
])("%s are origins", (value) => expect(origins.check(value)).toBeUndefined());

test.each([
  ["https://app.example.net/", ": write https://app.example.net"],
  ["https://App.Example.net:443/login", ": write https://app.example.net"],
  ["https://bücher.example", ": write https://xn--bcher-kva.example"],
  ["https://*.example.net", ": browsers send no patterns. Name each origin, or allow all by * alone"],
  ["https://a.example;https://b.example", ": separate origins by commas"],
  ["https://a.example https://b.example", ": separate origins by commas"],
  ["https://app.example.net.", ": its host is no name or address"],
  ["https://a$b.example", ": its host is no name or address"],
  ["app.example.net", 'not "app.example.net"'],
  ["null", 'not "null"'],
  ["capacitor://localhost", 'not "capacitor://localhost"'],
])("%s is no origin", (value, reason) => {
  expect(origins.check(value)?.endsWith(reason)).toBe(true);
});
