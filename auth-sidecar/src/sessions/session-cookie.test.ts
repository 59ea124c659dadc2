import { expect, test } from "vitest";
import {
  clearedSessionCookie,
  newSessionId,
  presentedSessionId,
  sessionCookie,
  sessionDigest,
} from "./session-cookie.ts";

const id = newSessionId();

test("the cookie has every attribute and none that widens it", () => {
  expect(sessionCookie(id)).toBe(`sid=${id}; Path=/api/auth; HttpOnly; Secure; SameSite=Strict`);
  expect(clearedSessionCookie()).toBe("sid=; Max-Age=0; Path=/api/auth; HttpOnly; Secure; SameSite=Strict");
});

test.each([`sid=${id}`, `a=b; sid=${id}`, `sid=${id}; sid=${newSessionId()}`, ` sid = ${id} `])(
  "%j presents the session",
  (header) => {
    expect(presentedSessionId(header)).toBe(id);
  },
);

test.each([
  undefined,
  "",
  "sid=",
  `SID=${id}`,
  `sid=${id}x`,
  `sid=${id.slice(1)}`,
  `sid=${encodeURIComponent(`${id.slice(1)}*`)}`,
  `xsid=${id}`,
  `sid="${id}`,
])("%j presents none", (header) => {
  expect(presentedSessionId(header)).toBeUndefined();
});

test("creates ids of 256 bits that do not repeat and differ from their digest", () => {
  const ids = new Set(Array.from({ length: 1000 }, newSessionId));
  expect(ids.size).toBe(1000);
  for (const one of ids) expect(one).toMatch(/^[A-Za-z0-9_-]{43}$/);
  expect(sessionDigest(id)).toMatch(/^[A-Za-z0-9_-]{43}$/);
  expect(sessionDigest(id)).not.toBe(id);
});
