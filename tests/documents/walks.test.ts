import { existsSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";

const page = readFileSync("docs/design/architecture.md", "utf8");
const walks = page.split("## Walks")[1]!.split("\n### ").slice(1);

test.each(walks.map((text) => [text.split("\n", 1)[0]!, text] as const))(
  "%s passes the listed files, which exist, and no more than its limit",
  (_title, text) => {
    const files = [...text.matchAll(/^\d+\. `([^`]+)`/gm)].map(([, file]) => file!);
    expect(files.filter((file) => !existsSync(file))).toEqual([]);
    expect(files.length).toBeGreaterThan(0);
    expect(files.length).toBeLessThanOrEqual(Number(/At most (\d+)/.exec(text)?.[1]));
  },
);
