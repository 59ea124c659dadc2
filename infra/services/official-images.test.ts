import { expect, test } from "vitest";
import { builtImages, pulledImages } from "../images.ts";
import { withDefaults } from "../settings/reading/complete.ts";
import type { GivenSettings } from "../settings/list.ts";
import { describeStack } from "../testing/descriptions.ts";
import type { ServiceDescription } from "../description/service.ts";

const settings = (given: GivenSettings) => withDefaults(given, "staging");
const describe = (given: GivenSettings): readonly ServiceDescription[] => describeStack(given);

const built = describe({ images: "built", archive: false });
const official = describe({ images: "official" });

test("exactly the services with an official image differ, and only in their start", () => {
  const changed = official.filter((service, index) => JSON.stringify(service) !== JSON.stringify(built[index]));
  expect(changed.map(({ name }) => name).toSorted()).toEqual(["database", "gateway", "sessions"]);
  for (const [index, { name, secrets, ports, calls, after, data }] of official.entries()) {
    expect({ name, secrets, ports, calls, after, data }).toMatchObject(
      JSON.parse(
        JSON.stringify({ secrets: built[index]?.secrets, ports: built[index]?.ports, calls: built[index]?.calls }),
      ) as object,
    );
  }
});

test("delivers the scripts that an official image lacks as files", () => {
  for (const { files, entrypoint = [], command = [], environment, health } of official) {
    const check = health?.kind === "command" ? health.command : [];
    const named = [...entrypoint, ...command, ...check, ...Object.values(environment)]
      .map(String)
      .filter((word) => word.startsWith("/run/routeql/start/"));
    for (const path of named) expect(Object.keys(files)).toContain(path.replace("/run/routeql/", ""));
  }
});

test("no service runs as root", () => {
  for (const { user } of official) expect(user).toBeGreaterThan(0);
});

test("every service has an image, built or pulled, for each choice", () => {
  const choices: GivenSettings[] = [
    {},
    { images: "official" },
    { images: "official", engineConsole: true },
    { engine: "hasura" },
    { engine: "hasura", images: "official" },
    { engine: "hasura", hasuraImage: "routeql/engine" },
  ];
  for (const choice of choices) {
    const chosen = settings(choice);
    const images = [...builtImages(chosen), ...pulledImages(chosen)].map(({ name }) => name);
    expect(new Set(images).size).toBe(images.length);
    for (const { image } of describe(choice)) expect(images).toContain(image);
    expect(images.filter((name) => describe(choice).every(({ image }) => image !== name && name !== "engine"))).toEqual(
      [],
    );
  }
});

test("the metadata job is based on the same image as the running engine", () => {
  const job = (given: GivenSettings) =>
    builtImages(settings({ engine: "hasura", ...given })).find(({ name }) => name === "apply-metadata");
  expect(job({})?.args["HASURA_IMAGE"]).toBe(settings({}).hasuraImage);
  const own = settings({ engine: "hasura", hasuraImage: "routeql/engine" });
  const engine = builtImages(own).find(({ name }) => name === "engine");
  expect(job({ hasuraImage: "routeql/engine" })?.args["HASURA_IMAGE"]).toBe(engine?.imageName);
  expect(job({ hasuraImage: "hasura/graphql-engine:v2.45.4" })?.imageName).not.toBe(job({})?.imageName);
});
