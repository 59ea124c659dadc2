import { expect, test } from "vitest";
import { readDigests, refuseUnpinned } from "./digests.ts";

const digest = `sha256:${"0".repeat(64)}`;

test("reads the digest of each reference, also with the port of a registry", () => {
  const text = `registry.example.net:5000/kit/gateway:1@${digest}\n\nnginx:1.28@${digest}\n`;
  expect([...readDigests(text, "images.txt")]).toEqual([
    ["registry.example.net:5000/kit/gateway:1", digest],
    ["nginx:1.28", digest],
  ]);
});

test.each(["nginx:1.28", "nginx:1.28@sha256:12", `nginx 1@${digest}`])(
  "rejects the line %s with its number",
  (entry) => {
    expect(() => readDigests(`valkey:8@${digest}\n${entry}\n`, "images.txt")).toThrow(
      `images.txt:2 has no digest: ${entry}`,
    );
  },
);

test("lists the images without a digest", () => {
  expect(() => refuseUnpinned([`nginx:1@${digest}`, "valkey:8"], "images.txt")).toThrow("no digest for valkey:8.");
});
