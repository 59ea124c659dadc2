import { expect, test } from "vitest";
import { outsidePlaces, placeOf } from "./outside-places.ts";

test.each([
  [["ldaps://ldap.example.net"], { ports: [636] }],
  [["ldap://ldap.example.net", "ldaps://ldap.example.net:1636"], { ports: [389, 1636] }],
  [["ldaps://192.0.2.1", "ldaps://[2001:db8::1]"], { ports: [636], addresses: ["192.0.2.1/32", "2001:db8::1/128"] }],
  [["ldaps://192.0.2.1", "ldaps://ldap.example.net"], { ports: [636] }],
  [["postgres://u:p@db.example.net/routes"], { ports: [5432] }],
  [["rediss://:p@192.0.2.9:6380/0"], { ports: [6380], addresses: ["192.0.2.9/32"] }],
  [["redis://:p@sessions.example.net"], { ports: [6379] }],
  [["https://otel.example.net"], { ports: [443] }],
  [["http://otel.monitoring.svc:4318"], { ports: [4318], namespace: "monitoring" }],
  [["http://otel.monitoring.svc.cluster.local"], { ports: [80], namespace: "monitoring" }],
  [["ldaps://a.one.svc", "ldaps://b.two.svc"], { ports: [636] }],
])("%j is reached at %j", (urls, place) => expect(placeOf(urls)).toEqual(place));

test("gives only configured places, without credentials", () => {
  const places = outsidePlaces({
    directory: "ldaps://a.example.net ldaps://b.example.net,ldap://c.example.net",
    database: "postgres://user:hidden@db/routes",
  });
  expect(places).toEqual({ directory: { ports: [636, 389] }, database: { ports: [5432] } });
  expect(outsidePlaces({})).toEqual({});
});
