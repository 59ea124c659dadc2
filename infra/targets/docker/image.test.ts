import { setTimeout as sleep } from "node:timers/promises";
import { ComponentResource } from "@pulumi/pulumi";
import { afterAll, expect, test, vi } from "vitest";
import { testImage } from "../../testing/descriptions.ts";
import { recordStack } from "../../testing/recorded-stack.ts";

const steps = vi.hoisted((): string[] => []);
vi.mock("./kept-tag.ts", () => ({
  imageUnder: async (name: string) => void steps.push(`look for ${name}`),
  keepTag: async (name: string) => {
    await sleep(20);
    steps.push(`keep ${name}`);
  },
}));
// Files of one process share modules: another file may have loaded this one without the replacement, and must not get this one's.
vi.resetModules();
const { provideImages } = await import("./image.ts");
afterAll(() => void vi.resetModules());

test("an image is built from its base once the base's name is given back", async () => {
  const base = testImage("database");
  const image = { ...testImage("database-tools"), args: { BASE: base.imageName } };
  await recordStack(() => {
    const parent = new ComponentResource("routeql:test:Parent", "parent");
    provideImages({ built: [base, image], pulled: [] }, { named: (part) => part }, parent);
  });
  const expected = [base, image].flatMap(({ imageName }) => [`look for ${imageName}`, `keep ${imageName}`]);
  await expect.poll(() => steps).toEqual(expected);
});
