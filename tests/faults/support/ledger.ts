import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { Client } from "pg";
import { openDatabase } from "@routeql/cli/database/open-database";
import { stack } from "../../e2e/support/stack/stack.ts";
import { asSuperuser } from "./parts.ts";

/** A writer that records what the database has acknowledged and continues after each failure. */
export class Ledger {
  private readonly acknowledged: string[] = [];
  private readonly mark = `ledger-${randomBytes(4).toString("hex")}`;
  private readonly done: Promise<void>;
  private stopped = false;

  private constructor() {
    this.done = this.loop();
  }

  /** Resolves when the first write has been acknowledged. */
  static async begin(): Promise<Ledger> {
    const ledger = new Ledger();
    while (ledger.acknowledged.length === 0) await sleep(50);
    return ledger;
  }

  /** Number of writes acknowledged up to now. */
  get length(): number {
    return this.acknowledged.length;
  }

  /** Acknowledged rows that are missing. */
  async lost(): Promise<string[]> {
    const until = [...this.acknowledged];
    const there = new Set(
      (await asSuperuser(`select id from auth.organisations where id like '${this.mark}-%'`)).split("\n"),
    );
    return until.filter((id) => !there.has(id));
  }

  async stop(): Promise<void> {
    this.stopped = true;
    await this.done;
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
