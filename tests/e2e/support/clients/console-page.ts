import type { Page } from "playwright-core";
import { expect } from "vitest";
import { stack } from "../stack/stack.ts";

/** The console in a browser, with a user's actions. */
export class ConsolePage {
  readonly page: Page;
  /** Requested URLs of other origins, and messages about violations of the content policy. */
  readonly problems: string[] = [];

  constructor(page: Page) {
    this.page = page;
    const origin = new URL(stack.consoleUrl).origin;
    const allowed = [origin, origin.replace("https:", "wss:"), "data:", "blob:"];
    page.on("request", (request) => this.#noteOutside(request.url(), allowed));
    page.on("websocket", (socket) => this.#noteOutside(socket.url(), allowed));
    page.on("console", (message) => {
      if (/content security policy/i.test(message.text())) this.problems.push(message.text());
    });
    page.on("pageerror", (error) => this.problems.push(String(error)));
  }

  #noteOutside(url: string, allowed: readonly string[]): void {
    if (!allowed.some((start) => url.startsWith(start))) this.problems.push(url);
  }

  async open(): Promise<void> {
    await this.page.goto(stack.consoleUrl);
    await this.page.getByRole("button", { name: "Log in" }).waitFor();
  }

  /** Submits the form of one login method. */
  async submit(way: "E-mail" | "Token" | "Master key", fields: Readonly<Record<string, string>>): Promise<void> {
    await this.page.getByRole("radiogroup").getByText(way, { exact: true }).click();
    for (const [name, value] of Object.entries(fields)) await this.page.locator(`#login-${name}`).fill(value);
    await this.page.getByRole("button", { name: "Log in" }).click();
  }

  /** Waits until GraphiQL has loaded the schema of the session. */
  async ready(): Promise<void> {
    await this.page.locator(".graphiql-query-editor .view-lines").waitFor({ timeout: 60_000 });
    await this.page.locator(".graphiql-spinner").waitFor({ state: "detached", timeout: 60_000 });
  }

  async logInWithKey(): Promise<void> {
    await this.open();
    await this.submit("Master key", { key: stack.engineAccessKey });
    await this.ready();
  }

  /** Replaces the text of the query editor. */
  async write(query: string): Promise<void> {
    await this.page.locator(".graphiql-query-editor .view-lines").click();
    await this.page.keyboard.press("ControlOrMeta+A");
    await this.page.keyboard.press("Delete");
    await this.page.keyboard.insertText(query);
  }

  async run(query?: string): Promise<void> {
    if (query !== undefined) await this.write(query);
    await this.page.getByRole("button", { name: /^Execute query/ }).click();
  }

  async stop(): Promise<void> {
    await this.page.getByRole("button", { name: /^Stop query/ }).click();
  }

  /** The visible part of the editor's result, without white space, because the editor wraps lines anywhere. */
  async result(): Promise<string> {
    return withoutSpace((await this.page.locator(".graphiql-response .view-lines").textContent()) ?? "");
  }

  async expectResult(text: string): Promise<void> {
    await expect.poll(() => this.result(), { timeout: 30_000 }).toContain(withoutSpace(text));
  }

  async chooseRole(role: string, variables = ""): Promise<void> {
    await this.page.locator("#role").fill(role);
    await this.page.locator("#session-variables").fill(variables);
    // GraphiQL restarts for the role; the next steps must not use the former instance.
    await this.page.evaluate("document.querySelector('.graphiql-container').dataset.former = ''");
    await this.page.locator("#apply-role").click();
    await this.page.locator(".graphiql-container[data-former]").waitFor({ state: "detached" });
    await this.ready();
  }
}

const withoutSpace = (text: string): string => text.replaceAll(/\s/g, "");
