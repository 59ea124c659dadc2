import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { resolve } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { beforeAll, describe, expect, test } from "vitest";
import { type Account, makeAccount } from "./support/clients/accounts.ts";
import { done } from "./support/stack/administer.ts";
import { data, post } from "./support/clients/graphql.ts";
import { loadLines } from "./support/data/load-lines.ts";
import { accessToken, singleStep } from "./support/clients/sessions.ts";
import { announcement } from "./support/data/small-world.ts";
import { stack } from "./support/stack/stack.ts";

const samples = resolve(import.meta.dirname, "../../docs/clients/samples");
/** A time without other updates. */
const day = Math.floor(Date.now() / 1000) - 30 * 86_400;
let account: Account;

beforeAll(async () => void (account = await makeAccount("analyst")));

/** Announcements of one whole second; the first prefix is announced `repetitions` times. */
function second(at: number, from: number, count: number, repetitions = 1): string[] {
  const line = (index: number): string =>
    announcement({ prefix: `198.19.${from + index}.0/24`, at: `${at}.000000` }).text;
  const lines = Array.from({ length: count }, (_, index) => line(index));
  return [...Array.from({ length: repetitions - 1 }, () => line(0)), ...lines];
}

const time = (at: number): string => new Date(at * 1000).toISOString().slice(0, 19);

/** A sample in Python whose lines a test reads one by one. */
class Sample implements AsyncDisposable {
  readonly #child;
  readonly #lines;
  #errors = "";

  constructor(args: readonly string[], environment: Record<string, string>) {
    this.#child = spawn("python3", args, {
      cwd: samples,
      env: {
        PATH: process.env["PATH"],
        PYTHONDONTWRITEBYTECODE: "1",
        ROUTEQL_URL: stack.url,
        ROUTEQL_CA_FILE: stack.caFile,
        ROUTEQL_USER: account.email,
        ROUTEQL_PASSWORD: account.password,
        ...environment,
      },
    });
    this.#child.stderr.on("data", (data: Buffer) => void (this.#errors += data.toString()));
    this.#lines = createInterface({ input: this.#child.stdout })[Symbol.asyncIterator]();
  }

  /** The next lines; at the end of the output fewer. */
  async lines(count: number): Promise<string[]> {
    const found: string[] = [];
    while (found.length < count) {
      const { value, done: ended } = await this.#lines.next();
      if (ended === true) break;
      found.push(value);
    }
    return found;
  }

  proceed(): void {
    this.#child.stdin.write("\n");
  }

  get errors(): string {
    return this.#errors;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#child.exitCode !== null) return;
    this.#child.kill();
    await once(this.#child, "exit");
  }
}

/** Walks with export.py and stops after `pause` rows until the test proceeds. */
const walk = (from: number, pause: number): Sample =>
  new Sample(
    [
      "-c",
      `import sys
from export import updates
for number, row in enumerate(updates("${time(from)}", "${time(from + 60)}"), 1):
    print(row["timestamp"], row["prefix"], flush=True)
    if number == ${pause}: sys.stdin.readline()`,
    ],
    { ROUTEQL_PAGE: "10" },
  );

const counted = (lines: readonly string[]): Map<string, number> => {
  const counts = new Map<string, number>();
  for (const line of lines) counts.set(line, (counts.get(line) ?? 0) + 1);
  return counts;
};

describe("Clients: walks through updates of whole seconds", () => {
  test("export.py has every row once, beside a load into the second it reads", async () => {
    await loadLines([...second(day, 100, 30, 25), ...second(day + 1, 100, 15)]);
    await using sample = walk(day, 42);
    const before = await sample.lines(42);
    await loadLines(second(day, 0, 150));
    sample.proceed();
    const lines = [...before, ...(await sample.lines(Infinity))];
    const counts = counted(lines);
    expect(sample.errors).toBe("");
    for (let index = 100; index < 130; index += 1)
      expect.soft(counts.get(`${time(day)} 198.19.${index}.0/24`)).toBe(index === 100 ? 25 : 1);
    expect(lines.filter((line) => line.startsWith(time(day + 1)))).toHaveLength(15);
    expect(Math.max(...[...counts].filter(([line]) => !line.includes(".100.")).map(([, count]) => count))).toBe(1);
  });

  test("the query of the page about pagination has every row once", async () => {
    const page = await readFile(resolve(samples, "../pagination.md"), "utf8");
    const query = /^query Page[^]*?^}$/m.exec(page)?.[0].replace("limit: 100", "limit: 10") ?? "";
    const from = day + 300;
    await loadLines([...second(from, 0, 30, 25), ...second(from + 1, 0, 15)]);
    const token = accessToken(await singleStep(account));
    const found: { timestamp: string; prefix: string }[] = [];
    let place = { time: time(from), prefix: "0.0.0.0/0", offset: 0 };
    while (place.time <= time(from + 1)) {
      const { view_bgpupdates: rows } = await data<{ view_bgpupdates: typeof found }>(query, { token }, place);
      if (rows.length === 0) break;
      for (const { timestamp, prefix } of rows) {
        const isEqual = timestamp === place.time && prefix === place.prefix;
        place = { time: timestamp, prefix, offset: isEqual ? place.offset + 1 : 1 };
      }
      found.push(...rows);
    }
    const lines = found.map(({ timestamp, prefix }) => `${timestamp} ${prefix}`);
    for (let index = 0; index < 30; index += 1) {
      const prefix = `198.19.${index}.0/24`;
      expect.soft(lines.filter((line) => line === `${time(from)} ${prefix}`)).toHaveLength(index === 0 ? 25 : 1);
      expect.soft(lines.filter((line) => line === `${time(from + 1)} ${prefix}`)).toHaveLength(index < 15 ? 1 : 0);
    }
  });

  test("export.py continues with a new token when its token is refused", async () => {
    await loadLines(second(day + 100, 0, 40));
    await using sample = walk(day + 100, 5);
    const before = await sample.lines(5);
    const token = accessToken(await singleStep(account));
    await done(["users", "role", account.email, "operator"]);
    await expect
      .poll(async () => (await post("{ __typename }", { token })).json(), { timeout: 30_000 })
      .toMatchObject({ errors: [{ extensions: { code: "invalid-jwt" } }] });
    sample.proceed();
    expect([...before, ...(await sample.lines(Infinity))]).toHaveLength(40);
    expect(sample.errors).toBe("");
  });

  test("follow.py prints each row once, also rows that are loaded late", async () => {
    const newest = "{ view_bgpupdates_log(order_by: {position: desc}, limit: 1) { position } }";
    const answer = (await (await post(newest, { token: accessToken(await singleStep(account)) })).json()) as {
      data: { view_bgpupdates_log: readonly { position: number }[] };
    };
    const position = answer.data.view_bgpupdates_log[0]?.position ?? 0;
    const from = day + 200;
    await loadLines(second(from + 30, 0, 20, 3));
    await using sample = new Sample(["follow.py", String(position)], {
      ROUTEQL_PAUSE_SECONDS: "0.2",
      ROUTEQL_PAGE: "10",
    });
    const prefixOf = (line: string): string => (JSON.parse(line) as { prefix: string }).prefix;
    const first = (await sample.lines(22)).map((line) => prefixOf(line));
    expect(new Set(first).size).toBe(20);
    await loadLines(second(from + 10, 200, 1));
    expect((await sample.lines(1)).map((line) => prefixOf(line))).toEqual(["198.19.200.0/24"]);
    await loadLines(second(from + 30, 201, 1));
    expect((await sample.lines(1)).map((line) => prefixOf(line))).toEqual(["198.19.201.0/24"]);
    expect(sample.errors).toBe("");
  });

  test("follow.py waits between logins while its tokens are refused", async () => {
    let logins = 0;
    const server = createServer((request, response) => {
      if (request.url === "/jwt/auth") logins += 1;
      const refused = { errors: [{ message: "no", extensions: { code: "invalid-jwt" } }] };
      response.end(JSON.stringify(request.url === "/jwt/auth" ? { access_token: "a" } : refused));
    }).listen(0, "127.0.0.1");
    await once(server, "listening");
    try {
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
      await using sample = new Sample(["follow.py"], { ROUTEQL_URL: url, ROUTEQL_PAUSE_SECONDS: "2" });
      await expect.poll(() => logins, { timeout: 30_000 }).toBeGreaterThan(1);
      logins = 0;
      await sleep(6000);
      expect(logins).toBeLessThan(20);
      expect(sample.errors).toContain("no\n");
    } finally {
      server.close();
    }
  });
});
