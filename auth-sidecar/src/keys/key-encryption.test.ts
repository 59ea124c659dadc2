import { randomBytes } from "node:crypto";
import { describe, expect, test } from "vitest";
import { KeyDecryptionError, KeyEncryption } from "./key-encryption.ts";

const encryption = new KeyEncryption("b7e20f4c9d1a6835f0c4a7e92d5b8163");
const key = randomBytes(138);
const stored = encryption.encrypt("kid", key);

test("decrypts with the same secret under the same id", () => {
  expect(new KeyEncryption("b7e20f4c9d1a6835f0c4a7e92d5b8163").decrypt("kid", stored)).toEqual({
    privateKey: key,
    isCurrent: true,
  });
  expect(stored.includes(key.subarray(0, 8))).toBe(false);
  expect(encryption.encrypt("kid", key)).not.toEqual(stored);
});

test("decrypts keys stored under the previous secret and marks them", () => {
  const changed = new KeyEncryption("4be1d7a90c3f86e25a7d40b9e6c812f3", "b7e20f4c9d1a6835f0c4a7e92d5b8163");
  expect(changed.decrypt("kid", stored)).toEqual({ privateKey: key, isCurrent: false });
  expect(changed.decrypt("kid", changed.encrypt("kid", key))).toEqual({ privateKey: key, isCurrent: true });
  expect(() => encryption.decrypt("kid", changed.encrypt("kid", key))).toThrow(KeyDecryptionError);
});

describe("rejects everything else:", () => {
  const flipped = (index: number) => Buffer.from(stored.map((byte, at) => (at === index ? byte ^ 1 : byte)));
  test.each<[string, KeyEncryption, string, Buffer]>([
    ["another secret", new KeyEncryption("another secret"), "kid", stored],
    ["two other secrets", new KeyEncryption("another secret", "a third one"), "kid", stored],
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
