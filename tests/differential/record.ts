/** `npm run test:differential:record`: records the answers of Hasura's own server to a fixed set of requests, for `npm test`. */
import { writeFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { canonical } from "./compare.ts";
import { post, startPair } from "./pair.ts";
import { type RecordedAnswer, recordedCalls, recordingFile } from "./recording.ts";
import { worldNamed } from "./worlds.ts";

await using pair = await startPair(((condition: boolean, note?: string) => {
  if (condition) throw new Error(note);
}) as Parameters<typeof startPair>[0]);
await worldNamed("project")(pair, async (world) => {
  await pair.apply(world.metadata);
  const answers: RecordedAnswer[] = [];
  for (const call of await recordedCalls(pair.hasura, world)) {
    const [hasura, embedded] = await Promise.all([post(pair.hasura, call), post(pair.embedded, call)]);
    const answer = canonical(hasura);
    answers.push({ call, answer, differs: answer !== canonical(embedded) });
  }
  const version = await fetch(`${pair.hasura.address}/v1/version`);
  const { version: server } = (await version.json()) as { version: string };
  writeFileSync(recordingFile, gzipSync(JSON.stringify({ server, answers }), { level: 9 }));
  const differing = answers.filter(({ differs }) => differs).length;
  console.log(`${answers.length} answers of Hasura ${server} recorded; the embedded engine differs in ${differing}`);
});
