import type { Request, Response } from "express";
import { expect, test } from "vitest";
import { clientAddress, contextOf, requestContext, requestId } from "./request-context.ts";

test.each([
  ["192.0.2.1", "10.0.0.1", "192.0.2.1"],
  ["2001:db8::1", "10.0.0.1", "2001:db8::1"],
  [undefined, "10.0.0.1", "10.0.0.1"],
  [undefined, "::ffff:10.0.0.1", "10.0.0.1"],
  ["198.51.100.1, 192.0.2.1", "10.0.0.1", "192.0.2.1"],
  ["192.0.2.1, unknown", "10.0.0.1", "10.0.0.1"],
  ["192.0.2.1:4711", "10.0.0.1", "10.0.0.1"],
  ["'; drop table", "10.0.0.1", "10.0.0.1"],
  ["", undefined, ""],
  [["198.51.100.1", "192.0.2.1"], "10.0.0.1", "192.0.2.1"],
])("%j from %j is %s", (header, peer, address) => {
  expect(clientAddress(header, peer)).toBe(address);
});

const contextWith = (headers: Record<string, string>, key: string | undefined) => {
  const response = { locals: {} as Record<string, unknown>, setHeader: () => undefined } as unknown as Response;
  const request = { headers, socket: { remoteAddress: "10.0.0.1" } } as unknown as Request;
  void requestContext(key)(request, response, () => undefined);
  return contextOf(response);
};
const forwarded = { "x-forwarded-for": "192.0.2.1", "x-request-id": "0123456789abcdef" };
const key = "k".repeat(32);

test("believes address and request id of the gateway, which knows the key", () => {
  expect(contextWith({ ...forwarded, "x-gateway-key": key }, key)).toMatchObject({
    address: "192.0.2.1",
    requestId: "0123456789abcdef",
    fromGateway: true,
  });
});

test.each([
  ["no key", {}, key],
  ["a wrong key", { "x-gateway-key": "x".repeat(32) }, key],
  ["an empty key", { "x-gateway-key": "" }, key],
  ["any key where none is set", { "x-gateway-key": "" }, undefined],
])("believes no address and no request id with %s", (_title, headers, set) => {
  const context = contextWith({ ...forwarded, ...headers }, set);
  expect(context).toMatchObject({ address: "10.0.0.1", fromGateway: false });
  expect(context.requestId).not.toBe("0123456789abcdef");
});

test("uses the gateway's id", () => {
  expect(requestId("0123456789abcdef0123456789abcdef")).toBe("0123456789abcdef0123456789abcdef");
});

test.each([
  undefined,
  "",
  "short",
  "x".repeat(65),
  "a b c d e f g h",
  'x"},{"level":"error',
  ["0123456789abcdef", "0123456789abcdef"],
])("%j is replaced by a new one", (header) => {
  expect(requestId(header)).toMatch(/^[0-9a-f-]{36}$/);
  expect(requestId(header)).not.toBe(requestId(header));
});
