import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { type Browser, type BrowserContextOptions, chromium } from "playwright-core";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import {
  chromiumAbsent,
  chromiumEnvironment,
  chromiumFlags,
  chromiumPath,
  NetworkChanges,
} from "../harness/browser.ts";
import { type Account, makeAccount } from "./support/clients/accounts.ts";
import { done } from "./support/stack/administer.ts";
import { ConsolePage } from "./support/clients/console-page.ts";
import { loadDemo } from "./support/data/data.ts";
import { database } from "./support/stack/database.ts";
import { loadLines } from "./support/data/load-lines.ts";
import { accessToken, singleStep } from "./support/clients/sessions.ts";
import { announcement, organisations } from "./support/data/small-world.ts";
import { stack } from "./support/stack/stack.ts";

/** Rules of axe that GraphiQL 5 breaks, with the element. They change with its version, not here. */
const graphiqlFindings: Readonly<Record<string, string>> = {
  "color-contrast": "comments of a query have the grey of the editor's theme",
  "nested-interactive": "the list item of a tab has the role tab and contains the button that opens it",
};

/** A WebSocket ignores the context's trust in the certificate. */
const forSockets = ["--ignore-certificate-errors"];

const networkChanges = new NetworkChanges();

describe("Console: GraphiQL in a browser", { retry: networkChanges.retry }, () => {
  let browser: Browser | undefined;
  let console: ConsolePage;
  let viewer: Account;
  const absent = chromiumAbsent();

  beforeAll(async () => {
    if (absent !== undefined) return;
    await loadDemo();
    viewer = await makeAccount("viewer");
    browser = await chromium.launch({
      executablePath: chromiumPath,
      env: chromiumEnvironment(),
      args: [...chromiumFlags, ...forSockets],
    });
  });

  afterAll(() => browser?.close());

  async function open(options: BrowserContextOptions = {}): Promise<ConsolePage> {
    const context = await (browser as Browser).newContext({ ignoreHTTPSErrors: true, ...options });
    const page = await context.newPage();
    networkChanges.watch(page);
    return new ConsolePage(page);
  }

  beforeEach(async (context) => {
    if (absent !== undefined) context.skip(absent);
    console = await open();
    return () => console.page.context().close();
  });

  describe("login", () => {
    test("4: prompts for the master key and rejects a wrong one", async () => {
      await console.open();
      await console.submit("Master key", { key: "not the master key" });
      await expect.poll(() => console.page.locator("#login-error").textContent()).toContain("rejected the master key");
      expect(await console.page.locator("#login-key").getAttribute("type")).toBe("password");
      expect(await console.page.locator(".graphiql-container").count()).toBe(0);
    });

    test("names the setting of a wrong key, and its error goes with the form", async () => {
      await console.open();
      await console.submit("Master key", { key: "not the master key" });
      await expect.poll(() => console.page.locator("#login-error").textContent()).toContain("ENGINE_ACCESS_KEY");
      await console.page.getByRole("radiogroup").getByText("E-mail", { exact: true }).click();
      expect(await console.page.locator("#login-error").textContent()).toBe("");
    });

    test("a throttled login names the time of the next attempt", async () => {
      await console.open();
      await console.page.route("**/jwt/auth", (route) =>
        route.fulfill({
          status: 429,
          headers: { "retry-after": "12" },
          json: { error: "x", code: "too-many-requests" },
        }),
      );
      await console.submit("E-mail", { email: viewer.email, password: viewer.password });
      await expect.poll(() => console.page.locator("#login-error").textContent()).toMatch(/in 12 seconds, at .*\d/);
    });

    test(
      "asks for another token when the old one ends, and says so in place of old rows",
      { timeout: 120_000 },
      async () => {
        const changed = await makeAccount("viewer");
        await console.open();
        await console.submit("Token", { token: accessToken(await singleStep(changed)) });
        await console.ready();
        await console.run("subscription { view_bgpupdates(limit: 1, order_by: {timestamp: desc}) { prefix } }");
        await console.expectResult('"prefix"');
        await done(["users", "role", changed.email, "analyst"]);
        await console.page.getByRole("dialog").waitFor({ timeout: 40_000 });
        await console.expectResult("The connection of the live query was lost");
        expect(await console.result()).not.toContain("prefix");
        await console.page.locator("#next-token").fill("nonsense");
        await console.page.getByRole("button", { name: "Continue" }).click();
        await expect.poll(() => console.page.getByRole("dialog").textContent()).toContain("rejected the access token");
        await console.page.locator("#next-token").fill(accessToken(await singleStep(changed)));
        await console.page.getByRole("button", { name: "Continue" }).click();
        await expect.poll(() => console.page.locator("#role-in-force").textContent()).toBe("role analyst");
        await console.ready();
        await console.run("{ view_hijacks(limit: 1) { comment } }");
        await console.expectResult('"comment"');
      },
    );

    test("with e-mail and password the console has the role of the account", async () => {
      await console.open();
      await console.submit("E-mail", { email: viewer.email, password: viewer.password });
      await console.ready();
      expect(await console.page.locator("#role-in-force").textContent()).toBe("role viewer");
      expect(await console.page.locator("#role").count()).toBe(0);
      await console.run("{ view_hijacks(limit: 1) { comment } }");
      await console.expectResult("field 'comment' not found in type: 'view_hijacks'");
    });

    test("rejects a wrong password", async () => {
      await console.open();
      await console.submit("E-mail", { email: viewer.email, password: "wrong" });
      await expect.poll(() => console.page.locator("#login-error").textContent()).toContain("password is wrong");
    });

    test("with an access token, and not with another text", async () => {
      await console.open();
      await console.submit("Token", { token: "nonsense" });
      await expect
        .poll(() => console.page.locator("#login-error").textContent())
        .toContain("rejected the access token");
      await console.submit("Token", { token: accessToken(await singleStep(viewer)) });
      await console.ready();
      await console.run("{ view_bgpupdates(limit: 2) { prefix } }");
      await console.expectResult('"prefix"');
    });

    test("stores no credential, and a reload asks again", async () => {
      await console.logInWithKey();
      await console.run("{ __typename }");
      await console.expectResult("query_root");
      expect(
        await console.page.evaluate("JSON.stringify([localStorage, sessionStorage, document.cookie])"),
      ).not.toContain(stack.engineAccessKey);
      await console.page.reload();
      await console.page.getByRole("button", { name: "Log in" }).waitFor();
      expect(await console.page.content()).not.toContain(stack.engineAccessKey);
    });
  });

  test("completes fields, checks queries and explains them", async () => {
    await console.logInWithKey();
    await console.write("{ view_hij");
    await console.page.keyboard.press("Control+Space");
    await expect
      .poll(() => console.page.locator(".suggest-widget").textContent(), { timeout: 30_000 })
      .toContain("view_hijacks");
    await console.page.keyboard.press("Escape");
    await console.write("{ view_hijacks { nothing } }");
    await console.page.locator(".graphiql-query-editor .squiggly-error").waitFor({ timeout: 30_000 });
    await console.page.getByRole("button", { name: "Show Documentation Explorer" }).click();
    await console.page.getByRole("link", { name: "query_root" }).click();
    await expect.poll(() => console.page.locator(".graphiql-doc-explorer").textContent()).toContain("view_bgpupdates");
  });

  test("runs a query with variables and sends no request to another origin", async () => {
    await console.logInWithKey();
    await console.page.getByRole("button", { name: "Variables" }).click();
    await console.page.locator(".graphiql-editor-tool .view-lines").first().click();
    await console.page.keyboard.insertText('{"n": 2}');
    await console.run("query Two($n: Int!) { view_bgpupdates(limit: $n, order_by: {timestamp: desc}) { prefix } }");
    await expect.poll(async () => (await console.result()).match(/"prefix"/g)?.length, { timeout: 30_000 }).toBe(2);
    expect(console.problems).toEqual([]);
  });

  test("shows markup in a row as text", async () => {
    const markup = `<img src=x onerror="document.title='taken'"><script>document.title='taken'</script>`;
    const { rows } = await (
      await database("owner")
    ).query<{ key: string }>(
      "update routing.hijacks set comment = $1 where key = (select key from routing.hijacks limit 1) returning key",
      [markup],
    );
    await console.logInWithKey();
    await console.run(`{ view_hijacks(where: {key: {_eq: "${rows[0]?.key}"}}) { comment } }`);
    await console.expectResult("onerror=");
    expect(await console.page.locator("img[src=x]").count()).toBe(0);
    expect(await console.page.title()).not.toBe("taken");
    expect(console.problems).toEqual([]);
  });

  test("shows the results of a subscription as they change", async () => {
    await console.logInWithKey();
    await console.run("subscription { view_bgpupdates(limit: 1, order_by: {timestamp: desc}) { prefix } }");
    await console.expectResult('"prefix"');
    await loadLines([announcement({ prefix: "198.18.3.0/24" }).text]);
    await console.expectResult("198.18.3.0/24");
    await console.stop();
    expect(console.problems).toEqual([]);
  });

  test("a live query of one tab ends when another tab opens, where Ctrl+Enter runs a query", async () => {
    await console.logInWithKey();
    await console.run("subscription A { view_bgpupdates(limit: 1, order_by: {timestamp: desc}) { prefix } }");
    await console.expectResult('"prefix"');
    await console.page.getByRole("button", { name: "New tab" }).click();
    await expect.poll(() => console.result()).toBe("");
    await loadLines([announcement({ prefix: "198.18.10.0/24" }).text]);
    await console.write("query B { __typename }");
    await console.page.keyboard.press("Control+Enter");
    await console.expectResult("query_root");
    expect(await console.result()).not.toContain("prefix");
    expect(await console.page.getByRole("button", { name: /^Stop query/ }).count()).toBe(0);
  });

  test("a tab with a short name opens on a click in its middle", async () => {
    await console.logInWithKey();
    await console.write("query A { __typename }");
    await console.page.getByRole("tab", { name: "A", exact: true }).waitFor();
    await console.page.getByRole("button", { name: "New tab" }).click();
    await console.write("query B { __typename }");
    await console.page.getByRole("tab", { name: "A", exact: true }).click();
    await expect.poll(() => console.page.locator(".graphiql-query-editor .view-lines").textContent()).toContain("A");
    expect(await console.page.getByRole("tab").count()).toBe(2);
  });

  test("a refused live query says so in words and can be replaced at once", async () => {
    await console.logInWithKey();
    await console.run("subscription { nothing }");
    await console.expectResult("The live query ended: ");
    expect(await console.page.getByRole("button", { name: /^Stop query/ }).count()).toBe(0);
    await console.run("{ __typename }");
    await console.expectResult("query_root");
  });

  test("has no finding of axe in its own part, and the listed ones in GraphiQL's", async () => {
    const source = await readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
    interface Finding {
      readonly id: string;
      readonly nodes: readonly { readonly html: string; readonly inGraphiql: boolean }[];
    }
    const findings = async (): Promise<readonly Finding[]> => {
      await console.page.evaluate(source);
      return console.page.evaluate<Finding[]>(`axe.run(document, { elementRef: true }).then(({ violations }) =>
        violations.map(({ id, nodes }) => ({ id, nodes: nodes.map(({ html, element }) =>
          ({ html, inGraphiql: element.closest(".graphiql-container") !== null || element.closest(".monaco-aria-container") !== null })) })))`);
    };
    const own = (found: readonly Finding[]): string[] =>
      found.flatMap(({ id, nodes }) => nodes.filter((node) => !node.inGraphiql).map(({ html }) => `${id}: ${html}`));
    await console.open();
    expect(await findings()).toEqual([]);
    await console.logInWithKey();
    const found = await findings();
    expect(own(found)).toEqual([]);
    const rules = found.filter(({ nodes }) => nodes.some(({ inGraphiql }) => inGraphiql)).map(({ id }) => id);
    expect(rules.filter((id) => !Object.hasOwn(graphiqlFindings, id))).toEqual([]);
  });

  test("shows with the master key the rows of a role with session variables", async () => {
    await console.logInWithKey();
    const query = "{ view_hijacks { configured_prefix } }";
    await console.run(query);
    await console.expectResult("198.18.1.0/24");
    await console.chooseRole("viewer");
    await console.run("{ view_hijacks(limit: 1) { comment } }");
    await console.expectResult("field 'comment' not found in type: 'view_hijacks'");
    await console.chooseRole("tenant", `X-Hasura-Org-Id=${organisations.north}`);
    await console.run(query);
    await console.expectResult("198.18.0.0/24");
    expect(await console.result()).not.toContain("198.18.1.0/24");
  });

  test("a role also applies to subscriptions", async () => {
    await console.logInWithKey();
    await console.chooseRole("viewer");
    await console.run("subscription { view_hijacks(limit: 1) { comment } }");
    await console.expectResult("field 'comment' not found in type: 'view_hijacks'");
  });

  test("renews the token of a login by e-mail", async () => {
    await console.open();
    await console.submit("E-mail", { email: viewer.email, password: viewer.password });
    await console.ready();
    const logins: string[] = [];
    console.page.on("request", (request) => void (request.url().endsWith("/jwt/auth") && logins.push(request.url())));
    await console.page.clock.install();
    await console.page.clock.fastForward((stack.tokenLifeSeconds + 1) * 1000);
    await console.run("{ view_bgpupdates(limit: 1) { prefix } }");
    await console.expectResult('"prefix"');
    expect(logins).toHaveLength(1);
  });

  test("follows a dark system theme", async () => {
    const dark = await open({ colorScheme: "dark" });
    await dark.logInWithKey();
    const background = String(
      await dark.page.evaluate("getComputedStyle(document.querySelector('.graphiql-container')).backgroundColor"),
    );
    const [red = 255] = (background.match(/\d+/g) ?? []).map(Number);
    expect(red).toBeLessThan(80);
    await dark.page.context().close();
  });

  test("fits a phone without horizontal scrolling, and runs a query", async () => {
    const phone = await open({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });
    await phone.logInWithKey();
    expect(await phone.page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(390);
    await phone.run("{ view_bgpupdates(limit: 1) { prefix } }");
    await phone.expectResult('"prefix"');
    const box = await phone.page.locator(".graphiql-response").boundingBox();
    expect(box?.width).toBeGreaterThan(300);
    await phone.page.context().close();
  });
});
