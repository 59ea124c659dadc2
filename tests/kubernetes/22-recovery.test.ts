import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { database } from "../e2e/support/stack/database.ts";
import { Clients } from "./support/clients.ts";
import { node } from "./support/node.ts";
import { namespace } from "./support/stack.ts";

/** Seconds until everything must work again after the kill of the database's pod, on a machine with other load. */
const bound = 180;

test(
  `a killed database pod returns with its data, and all recovers within ${bound} s`,
  { timeout: 400_000 },
  async () => {
    const owner = await database("owner");
    await owner.query(
      "insert into auth.organisations (id, name) values ('survivor', 'survivor') on conflict do nothing",
    );
    const clients = new Clients(200);
    await node.kubectl(["delete", "pod", "database-0", `--namespace=${namespace}`, "--grace-period=0", "--force"]);
    const began = Date.now();
    await node.kubectl(["wait", "pod/database-0", `--namespace=${namespace}`, "--for=create", "--timeout=60s"]);
    await node.kubectl([
      "wait",
      "pod/database-0",
      `--namespace=${namespace}`,
      "--for=condition=Ready",
      `--timeout=${bound}s`,
    ]);
    // It has recovered after two seconds without a lost request.
    for (let quiet = 0, before = clients.lostSoFar; quiet < 10;) {
      await sleep(200);
      quiet = clients.lostSoFar === before ? quiet + 1 : 0;
      before = clients.lostSoFar;
      expect((Date.now() - began) / 1000).toBeLessThan(bound);
    }
    const { lost, answered } = await clients.end();
    expect(answered).toBeGreaterThan(0);
    // Rejected requests got this project's own error, without internals.
    for (const { why } of lost.filter((one) => /^\d/.test(one.why))) expect(why).toMatch(/^(503|200) \{/);
    const { rows } = await (await database("owner")).query("select id from auth.organisations where id = 'survivor'");
    expect(rows).toEqual([{ id: "survivor" }]);
  },
);
