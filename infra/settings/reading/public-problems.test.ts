import { expect, test } from "vitest";
import { withDefaults } from "./complete.ts";
import type { GivenSettings } from "../list.ts";
import { publicProblems } from "./public-problems.ts";

const problems = (given: GivenSettings, stack: string): string[] =>
  publicProblems(withDefaults(given, stack), stack).map(({ name }) => name);

test.each<[string, GivenSettings, string[]]>([
  ["prod", {}, ["publicHost", "imageRegistry", "certificateIssuer"]],
  ["prod", { target: "docker" }, ["publicHost", "tlsCertificateFile"]],
  ["prod", { publicHost: "routes.example.net", imageRegistry: "r.example.net", certificateIssuer: "acme" }, []],
  ["prod", { publicHost: "routes.example.net", imageRegistry: "r.example.net", certificateSecret: "own" }, []],
  ["prod", { target: "docker", publicHost: "routes.example.net", tlsCertificateFile: "/cert.pem" }, []],
  ["site", {}, []],
  ["site", { hostAddress: "0.0.0.0" }, ["publicHost"]],
  ["site", { hostAddress: "127.0.0.1,::1" }, []],
  ["site", { hostAddress: "127.0.0.1,2001:db8::1" }, ["publicHost"]],
  ["site", { hostAddress: "0.0.0.0", publicHost: "routes.example.net" }, []],
  ["site", { target: "kubernetes" }, ["publicHost"]],
  ["site", { target: "kubernetes", gatewayService: "NodePort" }, []],
])("the stack %s with %o lacks %o", (stack, given, names) => expect(problems(given, stack)).toEqual(names));
