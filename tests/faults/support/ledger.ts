import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { Client } from "pg";
import { openDatabase } from "../../../infra/local/api.ts";
import { session, logout, tokenOfSession } from "../../e2e/support/sessions.ts";
import { makeAccount } from "../../e2e/support/accounts.ts";
import { call } from "../../e2e/support/http.ts";
import { sessionHeaders } from "../../e2e/support/sessions.ts";
import { stack } from "../../e2e/support/stack.ts";

/** A writer that notes what the database has acknowledged, and goes on by itself after each failure. */
export class Ledger {
  readonly acknowledged: string[] = [];
  private readonly mark = `ledger-${randomBytes(4).toString("hex")}`;
  private readonly done: Promise<void>;
  private stopped = false;

  constructor() {
    this.done = this.loop();
  }

  /** Ends the writing and gives what was acknowledged and is not there. */
  async lost(): Promise<string[]> {
    this.stopped = true;
    await this.done;
    const rows = await withDatabase(async (client) => (await client.query<{ id: string }>("select id from auth.organisations where id like $1", [`${this.mark}%`])).rows);
    const there = new Set(rows.map(({ id }) => id));
    return this.acknowledged.filter((id) => !there.has(id));
  }

  private async loop(): Promise<void> {
    let number = 0;
    while (!this.stopped) {
      await withDatabase(async (client) => {
        while (!this.stopped) {
          number += 1;
          const id = `${this.mark}-${number}`;
          await client.query("insert into auth.organisations (id, name) values ($1, $1)", [id]);
          this.acknowledged.push(id);
          await sleep(20);
        }
      }).catch(() => sleep(300));
    }
  }
}

async function withDatabase<T>(work: (client: Client) => Promise<T>): Promise<T> {
  const opened = await openDatabase(stack.name, "owner");
  const client = new Client({ ...opened.config, query_timeout: 8000 });
  client.on("error", () => undefined);
  try {
    await client.connect();
    return await work(client);
  } finally {
    await Promise.race([client.end().catch(() => undefined), sleep(500)]);
    await opened.close();
  }
}

/** Sessions that were acknowledged: some opened, one ended. A fault may neither end the one kind nor bring back the other. */
export class Sessions {
  private readonly open: readonly string[];
  private readonly ended: string;

  private constructor(open: readonly string[], ended: string) {
    this.open = open;
    this.ended = ended;
  }

  static async begin(): Promise<Sessions> {
    const accounts = await Promise.all([makeAccount("viewer"), makeAccount("analyst"), makeAccount("operator")]);
    const [ended, ...open] = await Promise.all(accounts.map(async (account) => (await session(account)).sessionId));
    await logout(ended as string);
    return new Sessions(open, ended as string);
  }

  /** What was lost or came back, in words. */
  async lost(): Promise<string[]> {
    const lost: string[] = [];
    for (const id of this.open) await tokenOfSession(id).catch(() => lost.push("a session that was open"));
    const { status } = await call("/api/auth/jwt", { headers: sessionHeaders(this.ended) });
    if (status !== 401) lost.push(`the end of a session (${status})`);
    return lost;
  }
}
