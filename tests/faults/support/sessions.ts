import { setTimeout as sleep } from "node:timers/promises";
import { makeAccount } from "../../e2e/support/clients/accounts.ts";
import { call } from "../../e2e/support/clients/http.ts";
import { logout, session, sessionHeaders } from "../../e2e/support/clients/sessions.ts";

/** Acknowledged sessions: some open, one ended. A fault may neither end an open one nor restore the ended one. */
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

  /** Descriptions of lost or restored sessions. */
  async lost(): Promise<string[]> {
    const statusOf = async (id: string): Promise<number> => {
      const until = performance.now() + 10_000;
      for (;;) {
        const { status } = await call("/api/auth/jwt", { headers: sessionHeaders(id) });
        // A 503 does not show the state of the session.
        if (status === 200 || status === 401 || performance.now() > until) return status;
        await sleep(300);
      }
    };
    const open = await Promise.all(this.open.map(statusOf));
    const ended = await statusOf(this.ended);
    return [
      ...open.filter((status) => status !== 200).map((status) => `a session that was open (${status})`),
      ...(ended === 401 ? [] : [`the end of a session (${ended})`]),
    ];
  }
}
