import { expect, test } from "vitest";
import { canonical } from "../differential/compare.ts";
import { post, startEmbedded } from "../differential/pair.ts";
import { readRecording, recordedCalls, recordedMetadata } from "../differential/recording.ts";
import { projectWorld } from "../differential/worlds.ts";

test("the embedded engine gives the recorded answers of Hasura", { timeout: 300_000 }, async () => {
  const { server, answers } = readRecording();
  expect(server).toMatch(/^v\d+\.\d+/);
  await using project = await projectWorld();
  const world = { ...project, metadata: recordedMetadata(project.metadata) };
  await using embedded = await startEmbedded(world.database, world.metadata);
  // A change of the requests or of the metadata needs a new recording: npm run test:differential:record
  expect(JSON.parse(JSON.stringify(await recordedCalls(embedded, world)))).toEqual(answers.map(({ call }) => call));
  const differing: object[] = [];
  for (const { call, answer, differs } of answers) {
    const found = canonical(await post(embedded, call));
    if (found !== answer && !differs) differing.push({ call, answer, found });
  }
  expect(differing).toEqual([]);
  expect(answers.filter(({ differs }) => !differs).length).toBeGreaterThan(1_900);
});
