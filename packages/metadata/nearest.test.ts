import { expect, test } from "vitest";
import { nearest } from "./nearest.ts";

const known = ["ENGINE_ACCESS_KEY", "SERVICE_API_KEY", "HTTP_PORT", "HTTPS_PORT"];

test.each([
  ["ENGINE_ACESS_KEY", "ENGINE_ACCESS_KEY"],
  ["engine_access_key", "ENGINE_ACCESS_KEY"],
  ["HTTP_PROT", "HTTP_PORT"],
  ["HTTPSPORT", "HTTPS_PORT"],
  ["SERVICE_KEY", undefined],
  ["PATH", undefined],
  ["", undefined],
])("%j means %j", (written, meant) => expect(nearest(written, known)).toBe(meant));

test.each(known)("%s means itself", (name) => expect(nearest(name, known)).toBe(name));
