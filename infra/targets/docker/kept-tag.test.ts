import { expect, test } from "vitest";
import { imageUnder, keepTag } from "./kept-tag.ts";
import type { DockerClient } from "./provider-daemon.ts";

const name = "routeql/engine:0123456789ab";
const gone = "sha256:gone";

/** A daemon with images by name, and the tags that it set. */
function daemon(images: Readonly<Record<string, string>>): { docker: DockerClient; tags: unknown[] } {
  const tags: unknown[] = [];
  const getImage = (wanted: string) => ({
    inspect: async () => {
      const id = images[wanted];
      if (id === undefined) throw Object.assign(new Error("no such image"), { statusCode: 404 });
      return { Id: id };
    },
    tag: async (tag: unknown) => {
      if (wanted === gone) throw Object.assign(new Error(`No such image: ${wanted}`), { statusCode: 404 });
      tags.push([wanted, tag]);
    },
  });
  return { docker: { getImage } as unknown as DockerClient, tags };
}

test("finds the image under a name", async () => {
  expect(await imageUnder(name, daemon({ [name]: "sha256:one" }).docker)).toBe("sha256:one");
  expect(await imageUnder(name, daemon({}).docker)).toBeUndefined();
  expect(await imageUnder(name, undefined)).toBeUndefined();
});

test("gives a name back to the image that had it before a build", async () => {
  const { docker, tags } = daemon({ [name]: "sha256:two" });
  await keepTag(name, "sha256:one", docker);
  expect(tags).toEqual([["sha256:one", { repo: "routeql/engine", tag: "0123456789ab" }]]);
});

test.each([
  ["the build gives the same image", "sha256:two"],
  ["the host had no image of that name", undefined],
  ["its former image was deleted meanwhile", gone],
])("leaves a name if %s", async (_, before) => {
  const { docker, tags } = daemon({ [name]: "sha256:two" });
  await keepTag(name, before, docker);
  expect(tags).toEqual([]);
});
