import { readFileSync } from "node:fs";
import { join } from "node:path";
import { callEdges, outsideEdges } from "@routeql/infra/description/service";
import { expect, test } from "vitest";
import { repository } from "../harness/repository.ts";
import { describedServices, packageGraph, withSection } from "./pictures.ts";

const library = (name: string, folder: string, ...dependencies: readonly string[]) => ({
  name,
  folder,
  dependencies: new Set(dependencies),
  devDependencies: new Set<string>(),
  published: false,
});

test("the graph of packages leaves out an arrow that a longer path implies", () => {
  const packages = [
    library("@routeql/contract", "packages/contract"),
    library("@routeql/engine", "engine", "@routeql/contract"),
    library("@routeql/cli", "cli", "@routeql/engine", "@routeql/contract"),
  ];
  const arrows = packageGraph(packages)
    .split("\n")
    .filter((line) => line.includes("-->"));
  expect(arrows).toEqual(["  engine --> packages-contract", "  cli --> engine"]);
});

test("rejects a page without the marks of a section", () => {
  expect(() => withSection("LICENSE", "services", "")).toThrow("LICENSE has no section services");
});

test.each(["light", "dark"])("the %s picture has the declared services and one arrow for each call", (theme) => {
  const picture = readFileSync(join(repository, `docs/pictures/system-${theme}.svg`), "utf8");
  const services = describedServices().filter(({ run }) => run === "service");
  const outside = outsideEdges(services);
  const boxes = [...picture.matchAll(/font-weight="600"[^>]*>([^<]+)</g)].map(([, name]) => name);
  const names = [...services.map(({ name }) => name.replace("-", " ")), ...outside.map(([, name]) => name), "client"];
  expect(new Set(boxes)).toEqual(new Set(names));
  // The client calls the services with published ports.
  const calls = callEdges(services).length + outside.length + services.filter(({ ports }) => ports.length > 0).length;
  expect(picture.match(/marker-end/g)).toHaveLength(calls);
});
