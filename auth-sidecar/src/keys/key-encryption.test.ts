import { randomBytes } from "node:crypto";
import { describe, expect, test } from "vitest";
import { KeyDecryptionError, KeyEncryption } from "./key-encryption.ts";

const encryption = new KeyEncryption("b7e20f4c9d1a6835f0c4a7e92d5b8163");
const key = randomBytes(138);
const stored = encryption.encrypt("kid", key);

test("what is encrypted opens with the same secret under the same id", () => {
  expect(new KeyEncryption("b7e20f4c9d1a6835f0c4a7e92d5b8163").decrypt("kid", stored)).toEqual(key);
  expect(stored.includes(key.subarray(0, 8))).toBe(false);
  expect(encryption.encrypt("kid", key)).not.toEqual(stored);
});

describe("nothing else opens:", () => {
  const flipped = (index: number) => Buffer.from(stored.map((byte, at) => (at === index ? byte ^ 1 : byte)));
  test.each<[string, KeyEncryption, string, Buffer]>([
    ["another secret", new KeyEncryption("another secret"), "kid", stored],
    ["another key's row", encryption, "other", stored],
    ["another version", encryption, "kid", flipped(0)],
    ["a changed iv", encryption, "kid", flipped(1)],
    ["a changed tag", encryption, "kid", flipped(13)],
    ["a changed ciphertext", encryption, "kid", flipped(29)],
    ["a cut ciphertext", encryption, "kid", stored.subarray(0, -1)],
    ["a cut tag", encryption, "kid", stored.subarray(0, 20)],
    ["nothing", encryption, "kid", Buffer.alloc(0)],
  ])("%s", (_title, with_, id, content) => {
    expect(() => with_.decrypt(id, content)).toThrow(KeyDecryptionError);
  });
});
