import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { expect, test } from "vitest";
import { MetadataFolder, routeql } from "./testing/tool.ts";

const step = `table: {schema: public, name: step}
select_permissions:
  - role: operator
    permission:
      columns: [id, kind_id]
      limit: 100
      filter:
        _or:
          - operator_id:
              _eq: X-Hasura-User-Id
          - kind_id:
              _is_null: false
`;

const payload = `table: {schema: public, name: payload}
select_permissions:
  - role: operator
    permission:
      columns: [id, owner_id]
      limit: 100
      filter:
        owner_id:
          _eq: X-Hasura-User-Id
insert_permissions:
  - role: operator
    permission:
      check: {size: {_gt: 0}}
      columns: [owner_id, size]
`;

test("the report in the README is the output of lint", async () => {
  using folder = new MetadataFolder([], {
    "metadata/databases/default/tables/tables.yaml":
      '- "!include public_step.yaml"\n- "!include public_payload.yaml"\n',
    "metadata/databases/default/tables/public_step.yaml": step,
    "metadata/databases/default/tables/public_payload.yaml": payload,
  });
  const { code, stdout } = await routeql(folder.path, ["lint"]);
  const [report = ""] = stdout.split("\nnot applied: ");
  const readme = readFileSync(resolve(import.meta.dirname, "../README.md"), "utf8");
  expect([code, readme]).toEqual([1, expect.stringContaining(report.trimEnd())]);
});
