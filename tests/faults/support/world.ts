import { afterAll } from "vitest";
import { Member } from "../../e2e/support/clients/accounts.ts";
import { loadDemo } from "../../e2e/support/data/data.ts";
import { writeSmallWorld } from "../../e2e/support/data/small-world.ts";
import { Crowd } from "./crowd.ts";
import { Ledger } from "./ledger.ts";
import { loginAsker } from "./login-asker.ts";
import { type Asker, learnedAskers, viewpoints } from "./members.ts";
import { asSuperuser } from "./parts.ts";
import { Sessions } from "./sessions.ts";
import { Subscriber } from "./subscriber.ts";

/** Everything that runs during the faults. */
export interface World {
  readonly askers: readonly Asker[];
  readonly crowd: Crowd;
  readonly subscriber: Subscriber;
  readonly ledger: Ledger;
  readonly sessions: Sessions;
}

let world: Promise<World> | undefined;

/** The clients of one test file, one for every role, with their known answers; they run until the end of the file. */
export function theWorld(): Promise<World> {
  world ??= begin();
  return world;
}

afterAll(async () => {
  if (world === undefined) return;
  const { crowd, subscriber, ledger } = await world;
  await Promise.all([crowd.stop(), subscriber.stop(), ledger.stop()]);
});

async function begin(): Promise<World> {
  // The suite owns the stack; its first file writes the data.
  if ((await asSuperuser("select count(*) from routing.hijacks where ignored and hijack_as = 64511")).trim() === "0") {
    await loadDemo();
    await writeSmallWorld();
  }
  const askers = [...(await learnedAskers(await viewpoints())), await loginAsker()];
  const sessions = await Sessions.begin();
  const subscriber = await Subscriber.join(await (await Member.join("viewer")).caller());
  return { askers, crowd: new Crowd(askers), subscriber, ledger: await Ledger.begin(), sessions };
}
