/**
 * A rule of oxlint: each place where a file, a name or an address enters a product is in the list of inputs.ts, with its reader. A place that reads
 * by itself is counted there, with the reader of its text or the reason why no person writes it.
 */
import { relative } from "node:path";
import { repository } from "../harness/repository.ts";
import { inputs, readers } from "./inputs.ts";

interface Node {
  readonly type: string;
  readonly [key: string]: unknown;
}

interface Context {
  readonly filename: string;
  readonly sourceCode: { getText(node: Node): string };
  report(problem: { readonly node: Node; readonly message: string }): void;
}

const files = ["readFile", "readFileSync", "createReadStream", "open", "openSync", "openAsBlob"];
/** Functions that read a file, or parse the text of one, by their modules. */
const entrances: Readonly<Record<string, readonly string[]>> = {
  fs: files,
  "fs/promises": files,
  yaml: ["parse", "parseDocument", "parseAllDocuments"],
  crypto: ["X509Certificate", "createPrivateKey", "createPublicKey"],
  util: ["parseEnv"],
  url: ["URL"],
};
const methods = new Set([
  ...files.filter((name) => !name.startsWith("open")),
  "loadEnvFile",
  // Of ldapts: readFilter reads escapes as bytes.
  "parseString",
  "loadFromFile",
  "loadFromDefault",
]);
/** Files beside the module, and tables of the kernel: no person writes them. */
const ownPath = /import\.meta|^["'`]\/proc\//;

const readerModule =
  /(written-text|yaml|pem|connection|url|distinguished-name|search-filter|environment|read-file)(\.ts)?$/;

const nameOf = (node: unknown): string => String((node as Node | undefined)?.["name"]);

export const inputReaders = {
  create(context: Context) {
    const file = relative(repository, context.filename);
    if (/^(tests|bench|docs)\/|\/testing\/|\.test\.ts$/.test(file)) return {};
    const imported = new Set<string>();
    const used = new Set<string>();
    let found = 0;
    const isOwn = ([path]: readonly Node[]): boolean =>
      path !== undefined && ownPath.test(context.sourceCode.getText(path));
    const enters = (callee: Node): boolean => {
      if (callee.type !== "MemberExpression") return imported.has(nameOf(callee));
      const method = nameOf(callee["property"]);
      return methods.has(method) || (nameOf(callee["object"]) === "URL" && /^(parse|canParse)$/.test(method));
    };
    const count = (node: Node): void => {
      const passed = node["arguments"] as readonly Node[];
      // A second argument of URL is an address that was parsed before.
      const isAddress = node.type === "NewExpression" && nameOf(node["callee"]) === "URL" && passed.length === 1;
      if (isAddress || (enters(node["callee"] as Node) && !isOwn(passed))) found += 1;
      // A function that is handed over.
      found += passed.filter((each) => each.type === "Identifier" && imported.has(nameOf(each))).length;
    };
    return {
      ImportDeclaration(node: Node): void {
        const source = String((node["source"] as Node)["value"]);
        const names = entrances[source.replace(/^node:/, "")] ?? [];
        for (const specifier of node["specifiers"] as readonly Node[]) {
          const name = nameOf(specifier["imported"]);
          if (names.includes(name)) imported.add(nameOf(specifier["local"]));
          if (readerModule.test(source) && Object.hasOwn(readers, name)) used.add(name);
        }
      },
      CallExpression: count,
      NewExpression: count,
      "Program:exit"(node: Node): void {
        const [listed = 0] = inputs[file] ?? [];
        if (found !== listed)
          context.report({
            node,
            message:
              `${file} reads files or addresses itself in ${found} places, and tests/boundaries/inputs.ts lists ${listed}. ` +
              "Use readText or readJson (@routeql/contract/written-text), YamlFile (@routeql/metadata/read/yaml), certificatesOf or privateKeysOf " +
              "(@routeql/contract/pem), or readConnection (@routeql/contract/connection); otherwise list the place with its reader or its reason.",
          });
        const missing = Object.entries(readers).filter(([name, users]) => users.includes(file) !== used.has(name));
        for (const [name] of missing)
          context.report({
            node,
            message: `${file} ${used.has(name) ? "uses" : "no longer uses"} the reader ${name}. ${used.has(name) ? "Add it to" : "Remove it from"} its list in tests/boundaries/inputs.ts.`,
          });
      },
    };
  },
};
