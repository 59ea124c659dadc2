import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import {
  addresses,
  addressesOf,
  email,
  host,
  hostAndPort,
  mailbox,
  mailboxes,
  image,
  imagePrefix,
  numbersByRole,
  oneOf,
  port,
  range,
  serviceImage,
  strongSecret,
  urlOf,
} from "./checks.ts";

test.each([1, 80, 65_535])("%s is a port", (value) => expect(port.check(value)).toBeUndefined());
test.each([0, -1, 65_536, 1.5, Number.NaN])("%s is no port", (value) =>
  expect(port.check(value)).toMatch(/1 to 65535/),
);

test("a range names its ends and the value", () => {
  expect(range(60, 3600).check(59)).toBe("must be a whole number from 60 to 3600, not 59");
});

test.each(["127.0.0.1", "0.0.0.0", "::1", "2001:db8::1", "*", "0.0.0.0,::", "192.0.2.1, 2001:db8::1"])(
  "%s are addresses",
  (value) => expect(addresses.check(value)).toBeUndefined(),
);
test.each(["localhost", "127.0.0.256", "1.2.3.4:80", "", "*,::1", "::1,", "::1,::1", "0.0.0.0,192.0.2.1", "::,::1"])(
  "%j are no addresses",
  (value) => expect(addresses.check(value)).toBeDefined(),
);
test("one value is every address of both families", () => expect(addressesOf("*")).toEqual(["0.0.0.0", "::"]));

test.each(["wss://ris.example.net/v1/ws/?client=a", "ws://[2001:db8::1]:8080"])("%s is a URL", (value) =>
  expect(urlOf("wss", "ws").check(value)).toBeUndefined(),
);
test.each(["https://a.example", "wss:/", "wss://", "wss://a.example:99999/", "wss://[2001:db8::1"])(
  "%j is no URL of a WebSocket",
  (value) => expect(urlOf("wss", "ws").check(value)).toContain("must be an address that begins with wss:// or ws://"),
);

test.each([
  "https://user:p%23a@alerts.example/x",
  "https://u:p@ss@alerts.example/x",
  "https://chat.example/hook?token=%22abc%22&to=a@b",
  "https://alerts.example?to=a@b",
  "http://[fe80::1%25eth0]/",
])("%s is read alike by every program, or the address refused", (value) => {
  expect(urlOf("https", "http").check(value) ?? "").not.toContain("encoded");
});
test.each([
  ["https://ntfyuser:4rji5g&%g55#5g5@ntfy.example/x", "a character in its user or password"],
  ["https://user:pa^ss@alerts.example", "a character in its user or password"],
  ["http://admin:BlaBlaBla1%!@alerts.example:9093", "a % before other characters"],
  ["https://alerts.example/%zz", "a % before other characters"],
  ["https://hooks.slack.example/services/T\\n", "a space or backslash"],
  ["https://alerts.example/hook?token=a b", "a space or backslash"],
])("names what programs in Go refuse in %s, and no value", (value, part) => {
  const reason = urlOf("https", "http").check(value);
  expect(reason).toContain(`has ${part}`);
  expect(reason).not.toContain(value);
});

test.each(["a.example:1", "mail_relay:25", "192.0.2.1:65535", "[2001:db8::1]:5000"])(
  "%s is a host with a port",
  (value) => expect(hostAndPort.check(value)).toBeUndefined(),
);
test.each(["a.example", "a.example:0", "a.example:65536", "a.example:99999", "[2001:db8:::1]:1", "2001:db8::1:5000"])(
  "%s is no host with a port",
  (value) => expect(hostAndPort.check(value)).toMatch(/^must be <host>:<port>, not /),
);

test.each(["a.b+c@x.example", "NOC <a@x.example>", "<a@x.example>", "Jürgen O'Neil <jürgen@x.example>"])(
  "Alertmanager reads the mail address %s",
  (value) => {
    expect(mailbox.check(value)).toBeUndefined();
    expect(mailboxes.check(`${value}, b@x.example`)).toBeUndefined();
  },
);
test.each([
  "a@x.example.",
  "a..b@x.example",
  "NOC, Night <a@x.example>",
  "a@x.example;b@x.example",
  "a@x.example,",
  "a",
])("Alertmanager does not read the mail address %s", (value) => {
  expect(mailbox.check(value)).toMatch(/^must be an e-mail address such as/);
  expect(mailboxes.check(value)).toMatch(/^must be e-mail addresses, separated by commas, not /);
});

test.each(["localhost", "routes.example.net", "192.0.2.1", "2001:db8::1", "a-b.example"])("%s is a host", (value) =>
  expect(host.check(value)).toBeUndefined(),
);
test.each([
  "",
  "a b",
  "-a.example",
  "a-.example",
  "a..b",
  "https://a.example",
  "a.example/",
  `${"a".repeat(64)}.example`,
  "a;b",
])("%j is no host", (value) => expect(host.check(value)).toBeDefined());

test.each([
  ["routes.example.net.", ": write it without the dot at its end"],
  ["routes.example.net:8443", ": write it without a port, which has its own setting"],
  ["https://routes.example.net", ": write it without a scheme"],
  ["[2001:db8::1]", ": write an address without brackets"],
  ["bücher.example", ": write xn--bcher-kva.example"],
  ["my_host.example.net", ": host names have no underscore (RFC 1123)"],
  ["256.1.1.1", ": clients read a name that ends in a number as an address"],
  ["127.1", ": clients read it as 127.0.0.1"],
  ["0x7f.1", ": clients read it as 127.0.0.1"],
  ["fe80::1%eth0", ": an address with a zone is known to this machine only"],
  ["::FFFF:192.0.2.1", ": write the IPv4 address 192.0.2.1"],
  ["::ffff:c000:201", ": write the IPv4 address 192.0.2.1"],
])("%s is no host%s", (value, reason) => expect(host.check(value)).toContain(reason));

test.each(["Routes.Example.NET", "xn--bcher-kva.example", "64:ff9b::192.0.2.1", "::1"])("%s is a host too", (value) =>
  expect(host.check(value)).toBeUndefined(),
);

test.each(["fe80::1%eth0", "fe80::1", "127.0.0.1,::ffff:192.0.2.1"])("%s cannot be published", (value) =>
  expect(addresses.check(value)).toMatch(/^must not hold /),
);

test.each(["admin@example.net", "a+b@sub.example"])("%s is an e-mail address", (value) =>
  expect(email.check(value)).toBeUndefined(),
);
test.each(["admin", "@example.net", "a b@example.net", "a@@b"])("%j is not an e-mail address", (value) =>
  expect(email.check(value)).toBeDefined(),
);

test.each(["debian:trixie-slim", `Registry.example:5000/a/b__c@sha256:${"0".repeat(64)}`, "[2001:db8::1]:5000/a:V1"])(
  "%s is an image",
  (value) => expect(image.check(value)).toBeUndefined(),
);
test.each(["", "-x", "a b", "a$b", "https://a/b:1", "a/B:1", "a:1:2", "a@sha256:00", "a/b/", "a//b"])(
  "%j is no image",
  (value) => expect(image.check(value)).toBeDefined(),
);

test.each(["registry.example.net", "mirror.example.net:5000/hub", "mirror.example.net/hub/"])(
  "%s may stand before the names of images",
  (value) => expect(imagePrefix.check(value)).toBeUndefined(),
);
test.each(["https://mirror.example.net", "mirror.example.net/Hub", "a b", "/hub", "mirror//hub"])(
  "%s may not stand before the names of images",
  (value) => expect(imagePrefix.check(value)).toMatch(/^must be the address of a registry, without https:/),
);

test("a choice accepts exactly its values", () => {
  const { check } = oneOf("debug", "info");
  expect(check("info")).toBeUndefined();
  expect(check("INFO")).toBe('must be one of debug, info, not "INFO"');
});

test("numbers by role contain each role once, within the range", () => {
  const { check } = numbersByRole(1, 60);
  for (const value of ["", "viewer=10", "viewer=1,tenant=60"]) expect(check(value)).toBeUndefined();
  for (const value of ["viewer", "viewer=0", "viewer=61", "viewer=1,viewer=2", "=1", "a b=1"])
    expect(check(value)).toContain("viewer=10,tenant=20");
});

const { check } = strongSecret(32);

test("accepts random secrets of sufficient length", () => {
  for (let round = 0; round < 200; round += 1) {
    expect(check(randomBytes(16).toString("hex"))).toBeUndefined();
    expect(check(randomBytes(24).toString("base64url"))).toBeUndefined();
  }
});

test.each([
  ["too short", "k3Jx9vQ2mZ7pL4wR8tYb1nC6sD5fG0h"],
  ["a published example, repeated to length", "myadminsecretkeymyadminsecretkey"],
  ["a word with digits behind", "changeme0000000000000000000000000"],
  ["few different characters", "abababababababababababababababab"],
  ["a sequence", "abcdefghijklmnopqrstuvwxyz012345"],
  ["a blank inside", "k3Jx9vQ2mZ7pL4wR 8tYb1nC6sD5fG0hT"],
  ["a line break", "k3Jx9vQ2mZ7pL4wR8tYb1nC6sD5fG0hT\n"],
  ["other than ASCII", "k3Jx9vQ2mZ7pL4wR8tYb1nC6sD5fG0hé"],
  ["nothing", ""],
])("rejects a secret that is %s without quoting it", (_reason, value) => {
  const problem = check(value);
  expect(problem).toBeDefined();
  if (value !== "") expect(problem).not.toContain(value.trim());
});

test.each(["postgres:17.9", "registry.example.net:5000/a/b:v2", `a@sha256:${"0".repeat(64)}`])(
  "%s names a version",
  (image) => expect(serviceImage().check(image)).toBeUndefined(),
);

test.each(["postgres", "postgres:latest", "registry.example.net:5000/a", "nginx:stable-1"])(
  "%s is no image of a service",
  (image) => expect(serviceImage("routeql/engine").check(image)).toMatch(/^must name a version or a digest/),
);
