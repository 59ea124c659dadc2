import { expect, test } from "vitest";
import { hostEntries, hostEntriesOf } from "./host-entries.ts";

test("reads names with addresses of both families, in the order of the text", () => {
  const text = "LDAP.example.net = 192.0.2.7, db=2001:db8::1,ldap.example.net=192.0.2.8,";
  expect(hostEntries.check(text)).toBeUndefined();
  expect(hostEntriesOf(text)).toEqual([
    { host: "ldap.example.net", ip: "192.0.2.7" },
    { host: "db", ip: "2001:db8::1" },
    { host: "ldap.example.net", ip: "192.0.2.8" },
  ]);
});

test.each([
  ["192.0.2.7 ldap.example.net", /entries such as/],
  ["ldap.example.net=ldap2.example.net", /an IP address for ldap.example.net/],
  ["ldap.example.net=[2001:db8::1]", /an IP address/],
  ["192.0.2.7=ldap.example.net", /host names/],
  ["ldap.example.net", /entries such as/],
  ["under_score.example.net=192.0.2.7", /host names/],
  ["*.example.net=192.0.2.7", /host names/],
  ["database=192.0.2.7", /inside the stack/],
  ["localhost=192.0.2.7", /inside the stack/],
  ["bücher.example=192.0.2.7", /: write xn--bcher-kva\.example$/],
  ["db=fe80::1%eth0", /an address with a zone is known to this machine only/],
  ["db=fe80::1", /a link-local address needs the name of a network interface/],
  ["ldap.example.net:192.0.2.7", /entries such as ldap\.example\.net=192\.0\.2\.7/],
  ["db=127.0.0.1", /in a container it is the container itself/],
  ["db=::1", /in a container it is the container itself/],
  ["db=::ffff:192.0.2.7", /: write the IPv4 address 192\.0\.2\.7$/],
])("refuses %s", (text, problem) => {
  expect(hostEntries.check(text)).toMatch(problem);
});
