import { expect, test } from "vitest";
import { report } from "./report.ts";

const token = `eyJ${"a".repeat(20)}.${"b".repeat(40)}.${"c".repeat(40)}`;

const text = report({
  version: "1.2.3",
  machine: "Docker 29.0.0, Debian GNU/Linux 13, x86_64, Node 24.0.0",
  engine: "hasura",
  secrets: ["short-password"],
  images: [{ service: "engine", name: "hasura/graphql-engine:v2", digest: "sha256:0" }],
  results: [
    {
      suite: "e2e",
      seconds: 61.4,
      tests: [
        { title: "a.test.ts > answers", state: "passed" },
        {
          title: "b.test.ts > refuses",
          state: "failed",
          reason: `Authorization: Bearer ${token}\nshort-password\n{"data":null}`,
          place: "b.test.ts:3:1",
        },
        { title: "c.test.ts > waits", state: "skipped", reason: "no browser" },
      ],
    },
  ],
});

test("lists images, counts by suite, failures and skips", () => {
  expect(text).toContain("| engine | `hasura/graphql-engine:v2` | `sha256:0` |");
  expect(text).toContain("| e2e | 1 | 1 | 1 | 61 |");
  expect(text).toContain("## b.test.ts > refuses");
  expect(text).toContain('{"data":null}');
  expect(text).toContain("- c.test.ts > waits: no browser");
});

test("names the versions of the machine", () => {
  expect(text).toContain("Docker 29.0.0, Debian GNU/Linux 13, x86_64, Node 24.0.0");
});

test("contains no token and no secret of the stack", () => {
  expect(text).toContain("Authorization: Bearer [removed]");
  expect(text).not.toContain("eyJ");
  expect(text).not.toContain("short-password");
});
