import { parseEnv } from "node:util";
import fc from "fast-check";
import { expect, test } from "vitest";
import { parseEnvironmentFile } from "./environment-file.ts";

const read = (content: string): Record<string, string> =>
  Object.fromEntries(parseEnvironmentFile(content).entries.map(({ name, value }) => [name, value]));

test("assignments, comments and blank lines are read", () => {
  const { entries, badLines } = parseEnvironmentFile(
    "# first\n\nHTTP_PORT=8080\n  export PUBLIC_HOST = routes.example.net # ours\r\nLOG_LEVEL='info'\n",
  );
  expect(entries).toEqual([
    { name: "HTTP_PORT", value: "8080", line: 3 },
    { name: "PUBLIC_HOST", value: "routes.example.net", line: 4 },
    { name: "LOG_LEVEL", value: "info", line: 5 },
  ]);
  expect(badLines).toEqual([]);
});

test.each([
  ["A=b#c", "b#c"],
  ["A=b # c", "b"],
  ["A= #c", ""],
  ["A='$B ${C}'", "$B ${C}"],
  ["A=$B$", "$B$"],
  ["A=$${1}", "$${1}"],
  ["A=", ""],
  ['A=" b # c "', " b # c "],
  ['A="it\'s"', "it's"],
  ["A='b' # c", "b"],
  ['A=`it\'s "b" # c`', 'it\'s "b" # c'],
  ["A=b\r", "b"],
  ["A=b=c", "b=c"],
  ["\uFEFFA=b", "b"],
])("%j holds %j", (line, value) => expect(read(line)).toEqual({ A: value }));

test.each(["A", "A B=c", "1A=b", "=b", 'A="b', "A='b'c", 'A="b"c"', "A: b", "A=`b"])(
  "reports %j by its line number",
  (line) => {
    expect(parseEnvironmentFile(`B=c\n${line}`)).toEqual({
      entries: [{ name: "B", value: "c", line: 1 }],
      badLines: [{ line: 2, problem: expect.any(String) as string }],
    });
  },
);

test.each([
  ["A", "is neither NAME=value nor a comment"],
  ["QyZk1w==", "is neither NAME=value nor a comment"],
  ["c2VjcmV0MTI=", "is neither NAME=value nor a comment"],
  ['A="-----BEGIN CERTIFICATE-----', "has a quote that does not end with the value on the same line"],
  ['A="b",', "has a quote that does not end with the value on the same line"],
  ["A=\u201cb\u201d", "begins with a typographic quote"],
  ["A=\u2018b\u2019", "begins with a typographic quote"],
  ["A=#b", "has # right after =, which begins a comment in some tools"],
  ["A=postgres://u:${PASSWORD}@db/x", "refers to a variable by ${NAME}"],
  ['A="${B:-c}"', "refers to a variable by ${NAME}"],
])("refuses %j, which tools read in different ways, without its text", (line, problem) => {
  const { entries, badLines } = parseEnvironmentFile(line);
  expect(entries).toEqual([]);
  expect(badLines).toEqual([{ line: 1, problem: expect.stringContaining(problem) as string }]);
});

test("reports a value of several lines once, and no line of it as a name", () => {
  const text = [
    'A="-----BEGIN PRIVATE KEY-----',
    "MIIEvQIBADANBgkq",
    "c2VjcmV0==",
    '-----END PRIVATE KEY-----"',
    "B=c",
  ];
  expect(parseEnvironmentFile(text.join("\n"))).toEqual({
    entries: [{ name: "B", value: "c", line: 5 }],
    badLines: [{ line: 1, problem: expect.stringContaining("has a quote that does not end") as string }],
  });
  expect(parseEnvironmentFile('A="b\nB=c').entries).toEqual([{ name: "B", value: "c", line: 2 }]);
});

const name = fc.stringMatching(/^[A-Z_][A-Z0-9_]{0,12}$/);
const plain = fc.stringMatching(/^[A-Za-z0-9_./:@+-]{0,20}$/);
const inQuotes = fc.stringMatching(/^[ A-Za-z0-9_./:@#=+-]{0,20}$/).map((value) => `"${value}"`);

test("Node's own reader returns the same values", () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.tuple(name, fc.oneof(plain, inQuotes)), { selector: ([key]) => key }), (lines) => {
      const content = lines.map(([key, value]) => `${key}=${value}`).join("\n");
      expect(parseEnvironmentFile(content).badLines).toEqual([]);
      expect(read(content)).toEqual({ ...parseEnv(content) });
    }),
  );
});

test("reads any text without an exception; each line is an entry, a problem or ignored", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (content) => {
      const { entries, badLines } = parseEnvironmentFile(content);
      const lines = content.split(/\r\n?|\n/).length;
      const reported = [...entries, ...badLines].map(({ line }) => line);
      expect(new Set(reported).size).toBe(reported.length);
      for (const line of reported) expect(line).toBeLessThanOrEqual(lines);
    }),
  );
});
