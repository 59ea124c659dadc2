import { setTimeout as sleep } from "node:timers/promises";
import { ComponentResource } from "@pulumi/pulumi";
import { expect, test } from "vitest";
import { testImage } from "../../testing/descriptions.ts";
import { recordStack } from "../../testing/recorded-stack.ts";
import { provideImages, type Tags } from "./image.ts";

test("an image is built from its base once the base's name is given back", async () => {
  const steps: string[] = [];
  const tags: Tags = {
    imageUnder: async (name) => {
      steps.push(`look for ${name}`);
      return undefined;
    },
    keepTag: async (name) => {
      await sleep(20);
      steps.push(`keep ${name}`);
    },
  };
  const base = testImage("database");
  const image = { ...testImage("database-tools"), args: { BASE: base.imageName } };
  await recordStack(() => {
    const parent = new ComponentResource("routeql:test:Parent", "parent");
    provideImages({ built: [base, image], pulled: [] }, { named: (part) => part }, parent, tags);
  });
  const expected = [base, image].flatMap(({ imageName }) => [`look for ${imageName}`, `keep ${imageName}`]);
  await expect.poll(() => steps).toEqual(expected);
});
