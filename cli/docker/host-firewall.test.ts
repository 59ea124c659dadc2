import { expect, test } from "vitest";
import { enablesUfw } from "./host-firewall.ts";

test.each([
  ["# ENABLED=yes\nENABLED=no\nLOGLEVEL=low\n", false],
  ["# Set to yes to start on boot.\nENABLED=yes\nLOGLEVEL=low\n", true],
  ['ENABLED="yes"\r\n', true],
  ["", false],
])("ufw is enabled by %j: %s", (configuration, enabled) => expect(enablesUfw(configuration)).toBe(enabled));
