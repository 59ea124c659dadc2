/**
 * A plugin of oxlint. An import must stay inside its package, or name a package that package.json lists; packages must have no cycles, and
 * products import only the products below them (products.ts).
 * The exports of a package.json list its public modules; Node and tsc reject all others.
 */
import { inputReaders } from "./input-readers.ts";
import { brokenRule, readPackages } from "./packages.ts";
import { programTexts } from "./program-texts.ts";

interface Source {
  readonly type: string;
  readonly value?: unknown;
}

interface Importing {
  readonly source: Source | null;
}

interface Context {
  readonly filename: string;
  report(problem: { readonly node: Source; readonly message: string }): void;
}

const packages = readPackages();

const imports = {
  create(context: Context) {
    const check = ({ source }: Importing): void => {
      if (source === null || typeof source.value !== "string") return;
      const message = brokenRule(packages, context.filename, source.value);
      if (message !== undefined) context.report({ node: source, message });
    };
    return {
      ImportDeclaration: check,
      ExportNamedDeclaration: check,
      ExportAllDeclaration: check,
      ImportExpression: check,
    };
  },
};

export default {
  meta: { name: "packages" },
  rules: { imports, "input-readers": inputReaders, "program-texts": programTexts },
};
