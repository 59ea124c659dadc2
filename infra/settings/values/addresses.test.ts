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

// What web views and browsers send for pages of Capacitor, Ionic, Tauri, Wails, Electron, Obsidian, VS Code and extensions.
test.each([
  "capacitor://localhost",
  "ionic://localhost",
  "http://localhost",
  "tauri://localhost",
  "http://tauri.localhost",
  "https://tauri.localhost",
  "wails://wails",
  "http://wails.localhost:34115",
  "app://.",
  "app://-",
  "app://obsidian.md",
  "serve://dist",
  "com.example.app://localhost",
  "capacitor-electron://-",
  "vscode-webview://0hr9ct0m1qoqapqv0p2d1h0q1s4u6vqeq1l3pm3t7e3h3jfc8m9u",
  "vscode-file://vscode-app",
  "chrome-extension://mdplmiioglkpgkgblfdilgebpppgdlma",
  "moz-extension://11dd9afe-3a23-4b1a-9f2e-0b6f8a3a7f51",
  "safari-web-extension://E7BC7B0A-6C4F-4AB8-9B4C-8D4E5B6F1C11",
])("%s is an origin of an application", (value) => expect(origins.check(value)).toBeUndefined());

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
  ["localhost:5173", 'not "localhost:5173"'],
  ["null", "or from the scheme of its framework"],
  ["file://", "or from the scheme of its framework"],
  ["file:///android_asset/www/index.html", "or from the scheme of its framework"],
  ["blob:https://app.example.net", "or from the scheme of its framework"],
  ["wss://app.example.net", ": write https://, because the page's address counts"],
  ["htps://app.example.net", ": write http:// or https://"],
  ["capacitor://localhost/", ": write capacitor://localhost"],
  ["Capacitor://localhost", ": write capacitor://localhost"],
  [
    "chrome-extension://mdplmiioglkpgkgblfdilgebpppgdlma/popup.html",
    "chrome-extension://mdplmiioglkpgkgblfdilgebpppgdlma",
  ],
  ["chrome-extension://my-extension", ": the identifier of an extension has 32 letters from a to p"],
  ["app://", ": its host is no name"],
  [`app://${"a".repeat(300)}`, ": it is longer than 300 characters"],
  ["app://user@host", ": its host is no name"],
])("%s is no origin", (value, reason) => {
  expect(origins.check(value)?.endsWith(reason)).toBe(true);
});
