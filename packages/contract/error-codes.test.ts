import { expect, test } from "vitest";
import { errorCodes } from "./error-codes.ts";

test.each(Object.entries(errorCodes))("%s is a client or server error with a code in words", (code, { status }) => {
  expect(code).toMatch(/^[a-z]+(-[a-z]+)*$/);
  expect(status).toBeGreaterThanOrEqual(400);
  expect(status).toBeLessThan(600);
});

test("sentences end with a full stop, except the one that the specification fixes", () => {
  const open = Object.entries(errorCodes).filter(([, { sentence }]) => !sentence.endsWith("."));
  expect(open.map(([code]) => code)).toEqual(["wrong-credentials"]);
});
