import fc from "fast-check";
import { expect, test } from "vitest";
import { matchesVerifier, scramVerifier } from "./roles.ts";

const password = fc.string({ minLength: 16, maxLength: 40, unit: "grapheme-ascii" });

test("creates the verifier that Postgres 17 creates from the same password and salt", () => {
  expect(scramVerifier("pencil", Buffer.from("1C7y90Pm7doydCuUoqpuxg==", "base64"))).toBe(
    "SCRAM-SHA-256$4096:1C7y90Pm7doydCuUoqpuxg==$A5goaYNxfYkgOAc8i+p7liyHyYCVx/+GbZ7K/va966A=:dCvdPiA8apW5p7h+wjhfQBjDokSe79IBY9E/rfGhJRw=",
  );
});

test("matches a verifier with its own password only", () => {
  fc.assert(
    fc.property(password, password, (one, other) => {
      const verifier = scramVerifier(one, Buffer.alloc(16, 1), 1);
      expect(matchesVerifier(one, verifier)).toBe(true);
      expect(matchesVerifier(other, verifier)).toBe(one === other);
    }),
  );
});

test.each([null, "", "md5d41d8cd98f00b204e9800998ecf8427e", "SCRAM-SHA-256$4096:AAAA", "SCRAM-SHA-256$x:AAAA$a:b"])(
  "%s matches no password",
  (verifier) => {
    expect(matchesVerifier("a password of some length", verifier)).toBe(false);
  },
);
