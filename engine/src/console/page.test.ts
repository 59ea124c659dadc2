import { hash } from "node:crypto";
import { expect, test } from "vitest";
import { serveFake } from "../operation/testing/served-engine.ts";
import { createConsolePage } from "./page.ts";

const page = createConsolePage()("/console");

test("the policy allows exactly the page's own script and style", () => {
  const policy = page.headers?.["content-security-policy"] ?? "";
  const script = /<script>([\s\S]*)<\/script>/.exec(page.text)?.[1] ?? "";
  const style = /<style>([\s\S]*)<\/style>/.exec(page.text)?.[1] ?? "";
  expect(script.length).toBeGreaterThan(1_000);
  expect(policy).toContain(`script-src 'sha256-${hash("sha256", script, "base64")}'`);
  expect(policy).toContain(`style-src 'sha256-${hash("sha256", style, "base64")}'`);
  expect(policy).toContain("default-src 'none'");
  expect(policy).not.toContain("unsafe");
});

test("the page loads nothing from anywhere", () => {
  expect(page.text).not.toMatch(/(?:src|href)="(?!data:)/);
  expect(page.text).not.toMatch(/https?:\/\/|@import|url\(/);
  expect(page.text).not.toMatch(/\sstyle=|\son[a-z]+=/);
});

test.each(["master-key", "unlock", "query", "variables", "run", "result", "error"])("#%s is there once", (id) => {
  expect(page.text.split(` id="${id}"`)).toHaveLength(2);
});

test("it is served when it is enabled, and / leads to it", async () => {
  await using server = await serveFake({}, { HASURA_GRAPHQL_ENABLE_CONSOLE: "true" });
  const response = await fetch(`${server.url}/`);
  expect(response.url).toBe(`${server.url}/console`);
  expect(response.headers.get("content-type")).toBe("text/html; charset=utf-8");
  expect(await response.text()).toBe(page.text);
});
