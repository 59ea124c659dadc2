import { type Browser, type BrowserContextOptions, chromium } from "playwright-core";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import {
  chromiumAbsent,
  chromiumEnvironment,
  chromiumFlags,
  chromiumPath,
  NetworkChanges,
} from "../harness/browser.ts";
import { type Account, makeAccount } from "./support/accounts.ts";
import { ConsolePage } from "./support/console-page.ts";
import { loadDemo } from "./support/data.ts";
import { database } from "./support/database.ts";
import { loadLines } from "./support/load-lines.ts";
import { accessToken, singleStep } from "./support/sessions.ts";
import { announcement, organisations } from "./support/small-world.ts";
import { stack } from "./support/stack.ts";

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

    test("with e-mail and password the console has the role of the account", async () => {
      await console.open();
      await console.submit("E-mail", { email: viewer.email, password: viewer.password });
      await console.ready();
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
