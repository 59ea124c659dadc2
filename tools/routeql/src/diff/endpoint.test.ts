import { describe, expect, test } from "vitest";
import { exportMetadata } from "./endpoint.ts";

describe("a secret that no header can carry", () => {
  test.each([
    ["two lines", "sesame\nopen"],
    ["characters that are not Latin", "sesame\u2500"],
    ["a zero byte", "sesame\0"],
  ])("%s: refused without quoting it", async (_what, secret) => {
    const endpoint = { url: "https://127.0.0.1:1", secret, header: "X-Hasura-Admin-Secret", authority: undefined };
    const error: Error = await exportMetadata(endpoint, ".").then(() => expect.unreachable(), (reason: Error) => reason);
    expect(error.message).toBe("no header X-Hasura-Admin-Secret can be made of the admin secret: a header is one line of Latin characters");
  });
});
