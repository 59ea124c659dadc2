import { expect, test } from "vitest";
import { closes } from "./server-message.ts";

test.each(["short", "x".repeat(1_000), "é".repeat(200), "😀".repeat(100), '"\\\u0000'.repeat(60)])(
  "a reason about %j fits into a close frame and stays JSON",
  (detail) => {
    for (const close of [closes.badMessage(detail), closes.initFailed(detail), closes.startFailed(detail)]) {
      expect(Buffer.byteLength(close.reason)).toBeLessThanOrEqual(123);
      expect(JSON.parse(close.reason)).toEqual({ server_error_msg: expect.stringMatching(/^4400: /) as unknown });
    }
  },
);
