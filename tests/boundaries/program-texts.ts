/**
 * A rule of oxlint: text of a file, a name or a setting must not become text of a program. SQL takes parameters or quotes each inserted text;
 * a shell takes arguments. A place that inserts text in another way is in the list below, with the reason why the text is safe. A long fixed
 * statement is a file `.sql`, which Postgres's parser checks.
 */
import { relative } from "node:path";
import { repository } from "../harness/repository.ts";
import { insertedTexts } from "./inserted-texts.ts";

interface Node {
  readonly type: string;
  readonly parent?: Node;
  readonly [key: string]: unknown;
}

interface Context {
  readonly filename: string;
  report(problem: { readonly node: Node; readonly message: string }): void;
}

/** The beginning of a statement, or a statement inside of another; not the prose of a message. */
const statement =
  /^\s*(with \S+ as|select\b[^]*\bfrom|insert into|update \S+ set|delete from|create (table|role|schema|database|temporary|or)|alter (table|role|database|default)|drop (schema|table|role)|grant \S+ (on|to)|revoke \S+ (on|from)|lock table|set (local|role|\w+ = )|copy \S+ (from|to))|\(\s*select\b[^]*\bfrom\b|\bdo \$\$/i;
/** Lines of a fixed statement in TypeScript. */
const mostLines = 12;
const quoting = new Set(["escapeLiteral", "escapeIdentifier", "quote", "quoted", "identifier"]);
const shells = new Set(["sh", "bash", "/bin/sh", "/bin/bash", "CMD-SHELL"]);

const nameOf = (node: Node): unknown =>
  node.type === "MemberExpression" ? (node["property"] as Node)["name"] : node["name"];
const isQuoted = (node: Node): boolean =>
  node.type === "CallExpression" && quoting.has(String(nameOf(node["callee"] as Node)));
const isFixed = (node: Node): boolean =>
  node.type === "Literal" || (node.type === "TemplateLiteral" && (node["expressions"] as Node[]).length === 0);

export const programTexts = {
  create(context: Context) {
    const file = relative(repository, context.filename);
    if (/^(tests|bench)\/|\/testing\/|\.test\.ts$/.test(file)) return {};
    let found = 0;
    return {
      TemplateLiteral(node: Node): void {
        const texts = (node["quasis"] as { value: { raw: string } }[]).map(({ value }) => value.raw);
        const inserted = (node["expressions"] as Node[]).filter((each) => !isQuoted(each));
        // A tagged template gets its texts and values apart.
        if (node.parent?.type === "TaggedTemplateExpression" || !statement.test(texts.join("?"))) return;
        if (inserted.length > 0) found += 1;
        const lines = texts.join("?").trim().split("\n").length;
        if (isFixed(node) && lines > mostLines)
          context.report({
            node,
            message: `${file} has a statement of ${lines} lines. Move it into a file .sql, as Postgres's parser checks those.`,
          });
      },
      ArrayExpression(node: Node): void {
        const words = node["elements"] as Node[];
        const command = words.findIndex((word) => word?.["value"] === "-c" || word?.["value"] === "CMD-SHELL");
        const script = command < 0 ? undefined : words[command + 1];
        if (script && words.some((word) => shells.has(String(word?.["value"]))) && !isFixed(script)) found += 1;
      },
      "Program:exit"(node: Node): void {
        const [listed = 0] = insertedTexts[file] ?? [];
        if (found !== listed)
          context.report({
            node,
            message:
              `${file} inserts text into SQL or a shell program in ${found} places, and tests/boundaries/inserted-texts.ts lists ${listed}. ` +
              "Pass a parameter or an argument, or quote the text; otherwise list the place with the reason why its text is safe.",
          });
      },
    };
  },
};
