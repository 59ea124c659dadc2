import { expect, test } from "vitest";
import { examinable, readProject } from "../../metadata/project.ts";
import { MetadataFolder, sound, tableFile } from "../../testing/tool.ts";
import { Verdicts } from "./report.ts";
import { OutOfTime } from "../observe/served.ts";

function verdictsOf(folder: MetadataFolder, until?: number): Verdicts {
  return new Verdicts(examinable(readProject("metadata", folder.path), "of the test"), undefined, "embedded", until);
}

test("reports the parts for which there was no time as one finding", async () => {
  using folder = new MetadataFolder([tableFile("note", sound)]);
  const verdicts = verdictsOf(folder, 0);
  let runs = 0;
  for (const role of ["reader", "writer", "editor"])
    await verdicts.guarded({ role }, `the role ${role}`, async () => {
      runs += 1;
    });
  verdicts.outOfTime(10);
  expect([runs, verdicts.findings.map(({ rule, severity, reason }) => [rule, severity, reason])]).toEqual([
    0,
    [["not-verified", "warning", "not examined within --minutes 10: the role reader, and 2 further parts"]],
  ]);
});

test("reports a part that the end of the time interrupts, and nothing without one", async () => {
  using folder = new MetadataFolder([tableFile("note", sound)]);
  const verdicts = verdictsOf(folder);
  await verdicts.guarded({ role: "reader" }, "the rows", async () => undefined);
  verdicts.outOfTime(10);
  expect(verdicts.findings).toEqual([]);
  await verdicts.guarded({ role: "reader" }, "the hidden rows", async () => {
    throw new OutOfTime();
  });
  verdicts.outOfTime(10);
  expect(verdicts.findings.map(({ reason }) => reason)).toEqual(["not examined within --minutes 10: the hidden rows"]);
});

test("repeats the findings about changes for a role with the same permission, once", () => {
  using folder = new MetadataFolder([tableFile("note", sound)]);
  const verdicts = verdictsOf(folder);
  const table = "public.note";
  verdicts.say("write-reach", { role: "user", table }, "user with x-hasura-user-id = 1 may update the row id = 1");
  verdicts.say("not-tried", { role: "user", table }, "the permission of user to insert rows: no row");
  verdicts.say("rows", { role: "user", table }, "user is served other rows");
  verdicts.say("write-reach", { role: "user", table: "public.tag" }, "user may update another table");
  verdicts.repeat("user", { role: "editor", table });
  verdicts.repeat("user", { role: "editor", table });
  expect(verdicts.findings.filter(({ role }) => role === "editor").map(({ reason }) => reason)).toEqual([
    "the permission of editor to insert rows: no row",
    "editor with x-hasura-user-id = 1 may update the row id = 1",
  ]);
});
