import { expect, test } from "vitest";
import { parseGroupRoles, roleOf } from "./group-roles.ts";

const lines = parseGroupRoles("operator: CN=NOC, OU=Groups,DC=example,DC=net;\n analyst : staff\nviewer: *")!;

test("the list keeps its order, and a line is a role and a group", () => {
  expect(lines).toEqual([
    { role: "operator", group: "CN=NOC, OU=Groups,DC=example,DC=net" },
    { role: "analyst", group: "staff" },
    { role: "viewer", group: "*" },
  ]);
});

test.each(["", ";", "admin: staff", "operator", "operator:", "staff: operator", "operator = staff"])("%j is refused", (text) => {
  expect(parseGroupRoles(text)).toBeUndefined();
});

test("the first line that holds gives the role, whatever the case and the blanks of a DN", () => {
  const noc = { dn: "cn=noc,ou=groups,dc=example,dc=net", name: "noc" };
  const staff = { dn: "cn=Staff,ou=groups,dc=example,dc=net", name: "Staff" };
  expect(roleOf([staff, noc], lines)).toBe("operator");
  expect(roleOf([staff], lines)).toBe("analyst");
  expect(roleOf([], lines)).toBe("viewer");
  expect(roleOf([{ dn: "cn=noc,ou=elsewhere,dc=example,dc=net", name: "noc" }], lines)).toBe("viewer");
  expect(roleOf([], [{ role: "analyst", group: "staff" }])).toBe("pending");
});

test("a group that is called by another one's DN is not that one", () => {
  const dn = "cn=noc,ou=groups,dc=example,dc=net";
  const impostor = { dn: "cn=cn\\=noc\\,ou\\=groups\\,dc\\=example\\,dc\\=net,ou=elsewhere,dc=example,dc=net", name: dn };
  expect(roleOf([impostor], [{ role: "operator", group: dn }])).toBe("pending");
});
