import { expect, test } from "vitest";
import { createAdmission } from "./graphql-execution.ts";

const session = (client: string) => ({ role: "viewer", client });

test("rejects an operation when all places are taken", () => {
  const admission = createAdmission(2);
  admission.enter(session("one"));
  admission.enter(session("one"));
  expect(() => admission.enter(session("one"))).toThrow("the server is busy");
  admission.leave(session("one"));
  admission.enter(session("one"));
  expect(admission.inFlight).toBe(2);
});

test("admits a client below its share although another client holds all places", () => {
  const admission = createAdmission(8);
  for (let index = 0; index < 8; index += 1) admission.enter(session("hostile"));
  for (let index = 0; index < 4; index += 1) admission.enter(session("other"));
  expect(() => admission.enter(session("other"))).toThrow("the server is busy");
  expect(() => admission.enter(session("hostile"))).toThrow("the server is busy");
});

test("admits one operation of each client, for any number of clients", () => {
  const admission = createAdmission(2);
  for (let index = 0; index < 10; index += 1) admission.enter(session(`client ${index}`));
  expect(admission.inFlight).toBe(10);
  for (let index = 0; index < 10; index += 1) admission.leave(session(`client ${index}`));
  expect(admission.inFlight).toBe(0);
});
