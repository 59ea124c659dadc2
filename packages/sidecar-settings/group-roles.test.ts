import { expect, test } from "vitest";
import {
  type GroupRole,
  groupNamed,
  lineOf,
  openingProblem,
  parseGroupRoles,
  roleOf,
  unboundProblem,
  unknownRoles,
  unreachedProblem,
} from "./group-roles.ts";

function read(text: string): readonly GroupRole[] {
  const lines = parseGroupRoles(text);
  if (typeof lines === "string") throw new Error(lines);
  return lines;
}

const lines = read("operator: CN=NOC, OU=Groups,DC=example,DC=net;\n analyst : staff\nviewer: *");

test("keeps the order of the list; a line is a role and a group", () => {
  expect(lines).toMatchObject([
    { role: "operator", group: "CN=NOC, OU=Groups,DC=example,DC=net", kind: "dn" },
    { role: "analyst", group: "staff", kind: "cn" },
    { role: "viewer", group: "*", kind: "everyone" },
  ]);
});

test.each(["", ";", "admin: staff", "operator", "operator:", "Staff: operator", "operator = staff"])(
  "rejects %j",
  (text) => {
    expect(parseGroupRoles(text)).toMatch(/^must be lines/);
  },
);

test.each(["cn=noc,groups", "cn=a<b", "cn=noc,", "cn=#zz"])(
  "rejects the group %j, which is not a DN, and names its line",
  (group) => {
    expect(parseGroupRoles(`viewer: staff; operator: ${group}`)).toMatch(/^has in line 2 a group that is not a DN/);
  },
);

test("finds roles that neither RouteQL nor the operator's metadata has", () => {
  expect(unknownRoles(read("desk: staff; king: *; viewer: *"), ["desk"])).toEqual(["king"]);
});

test("the first matching line gives the role, ignoring case and blanks of a DN", () => {
  const noc = groupNamed("cn=noc,ou=groups,dc=example,dc=net");
  const staff = groupNamed("cn=Staff,ou=groups,dc=example,dc=net");
  expect(roleOf([staff, noc], lines)).toBe("operator");
  expect(roleOf([staff], lines)).toBe("analyst");
  expect(roleOf([], lines)).toBe("viewer");
  expect(roleOf([groupNamed("cn=noc,ou=elsewhere,dc=example,dc=net")], lines)).toBe("viewer");
  expect(roleOf([], read("analyst: staff"))).toBe("pending");
});

test.each([
  "cn=NOC\\, Night,ou=groups,dc=example,dc=net",
  "CN=noc\\2c  night, OU=Groups, DC=example, DC=net",
  "2.5.4.3=#0c0a4e4f432c204e69676874,organizationalUnitName=groups,dc=example,dc=net",
  'cn="NOC, Night",ou=groups,dc=example,dc=net',
  "NOC, Night",
  "noc,  NIGHT",
])("the line %s matches the group NOC, Night", (group) => {
  const night = groupNamed("cn=NOC\\2C Night,ou=groups,dc=example,dc=net");
  expect(lineOf([night], read(`viewer: ${group}`))?.role).toBe("viewer");
});

test.each([
  ["one\\;two", "cn=one\\;two,dc=x"],
  ["cn=one\\;two,dc=x", "cn=one\\3btwo,dc=x"],
  ["Build\\Product (R)", "cn=Build\\5cProduct (R),dc=x"],
  ["Security/Groups", "cn=Security/Groups,dc=x"],
  ["cn=\\#My Group,dc=x", "CN=\\#My Group,DC=x"],
])("the line %j matches %j", (group, dn) => {
  expect(roleOf([groupNamed(dn)], read(`viewer: ${group}; operator: other`))).toBe("viewer");
});

test("a group named like another group's DN is not that group", () => {
  const dn = "cn=noc,ou=groups,dc=example,dc=net";
  const impostor = groupNamed("cn=cn\\=noc\\,ou\\=groups\\,dc\\=example\\,dc\\=net,ou=elsewhere,dc=example,dc=net");
  expect(impostor.cn).toBe(dn);
  expect(roleOf([impostor], read(`operator: ${dn}`))).toBe("pending");
});

test("a group has the cn of its DN, not another value of its attribute", () => {
  expect(groupNamed("cn=friends,ou=groups,dc=x", "noc").cn).toBe("friends");
  expect(groupNamed("ou=friends,dc=x", "noc").cn).toBe("noc");
});

test.each([
  "viewer: cn=NOC\\, Night,dc=x; operator: *",
  "tenant: customers; viewer: *",
  "pending: contractors; tenant: *",
  "operator: noc; analyst: staff; desk: *",
  "desk: helpdesk; viewer: *",
])("a catch-all may not grant more than a line before it: %s", (text) => {
  expect(openingProblem(read(text), "THE_FLAG")).toMatch(/fewest rights, or set THE_FLAG/);
});

test.each([
  "operator: noc; analyst: staff; viewer: *",
  "operator: noc; desk: *",
  "viewer: a; viewer: *",
  "desk: helpdesk; pending: *",
  "viewer: *",
  "viewer: *; operator: noc",
  "viewer: staff; operator: noc",
])("a missed group opens nothing by the catch-all of %s", (text) => {
  expect(openingProblem(read(text), "THE_FLAG")).toBeUndefined();
});

test("a group by its cn needs the base of the groups", () => {
  expect(unboundProblem(read("operator: cn=noc,dc=x; viewer: staff"), "BASE")).toMatch(/group staff .* set BASE$/);
  expect(unboundProblem(read("operator: cn=noc,dc=x; viewer: *"), "BASE")).toBeUndefined();
});

test("no line stands after the one for everyone", () => {
  expect(unreachedProblem(read("viewer: *; pending: cn=guests,dc=x"))).toMatch(
    /^has the group cn=guests,dc=x after \*,/,
  );
  expect(unreachedProblem(read("operator: cn=noc,dc=x; viewer: *"))).toBeUndefined();
  expect(unreachedProblem(read("operator: cn=noc,dc=x"))).toBeUndefined();
});
