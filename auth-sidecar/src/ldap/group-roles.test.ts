import { expect, test } from "vitest";
import { parseGroupRoles, roleOf, unknownRoles } from "./group-roles.ts";

const lines = parseGroupRoles("operator: CN=NOC, OU=Groups,DC=example,DC=net;\n analyst : staff\nviewer: *")!;

test("keeps the order of the list; a line is a role and a group", () => {
  expect(lines).toEqual([
    { role: "operator", group: "CN=NOC, OU=Groups,DC=example,DC=net" },
    { role: "analyst", group: "staff" },
    { role: "viewer", group: "*" },
  ]);
});

test.each(["", ";", "admin: staff", "operator", "operator:", "Staff: operator", "operator = staff"])(
  "rejects %j",
  (text) => {
    expect(parseGroupRoles(text)).toBeUndefined();
  },
);

test("finds roles that neither RouteQL nor the operator's metadata has", () => {
  expect(unknownRoles(parseGroupRoles("desk: staff; king: *; viewer: *")!, ["desk"])).toEqual(["king"]);
});

test("the first matching line gives the role, ignoring case and blanks of a DN", () => {
  const noc = { dn: "cn=noc,ou=groups,dc=example,dc=net", name: "noc" };
  const staff = { dn: "cn=Staff,ou=groups,dc=example,dc=net", name: "Staff" };
  expect(roleOf([staff, noc], lines)).toBe("operator");
  expect(roleOf([staff], lines)).toBe("analyst");
  expect(roleOf([], lines)).toBe("viewer");
  expect(roleOf([{ dn: "cn=noc,ou=elsewhere,dc=example,dc=net", name: "noc" }], lines)).toBe("viewer");
  expect(roleOf([], [{ role: "analyst", group: "staff" }])).toBe("pending");
});

test("a group named like another group's DN is not that group", () => {
  const dn = "cn=noc,ou=groups,dc=example,dc=net";
  const impostor = {
    dn: "cn=cn\\=noc\\,ou\\=groups\\,dc\\=example\\,dc\\=net,ou=elsewhere,dc=example,dc=net",
    name: dn,
  };
  expect(roleOf([impostor], [{ role: "operator", group: dn }])).toBe("pending");
});
