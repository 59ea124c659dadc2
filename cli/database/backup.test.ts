import { once } from "node:events";
import { Writable } from "node:stream";
import { expect, test } from "vitest";
import type { Execute } from "@routeql/host/program-streams";
import { dumpTo } from "./backup.ts";

/** Fake psql, which keeps the locks until its input ends and then exits slowly, and fake pg_dump, which writes a dump at once. */
const programs =
  (beforeItEnds: () => Promise<unknown>): Execute =>
  async ([program], { input, output }) => {
    if (program === "pg_dump") return output.write("a dump") ? 0 : 1;
    output.write("held\n");
    input!.resume();
    await once(input!, "end");
    await beforeItEnds();
    return 0;
  };

test("a disk that fills up after the dump, while the locks are released, fails the backup", async () => {
  const written = Promise.withResolvers<(error: Error) => void>();
  const target = new Writable({ write: (_chunk, _encoding, done) => written.resolve(done) });
  const fill = async (): Promise<void> => {
    const done = await written.promise;
    done(new Error("no space left on device"));
    await new Promise((resolve) => setTimeout(resolve, 50));
  };
  await expect(dumpTo({ as: () => programs(fill) }, target, () => undefined)).rejects.toThrow(
    "no space left on device",
  );
});

test("a dump is complete on its target before the locks are released", async () => {
  const chunks: string[] = [];
  const target = new Writable({
    write(chunk: Buffer, _encoding, done) {
      chunks.push(chunk.toString());
      done();
    },
  });
  expect(await dumpTo({ as: () => programs(async () => undefined) }, target, () => undefined)).toBe(6);
  expect(chunks.join("")).toBe("a dump");
});
