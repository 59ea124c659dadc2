import { globSync, readFileSync, statSync } from "node:fs";
import { dirname, join, posix, resolve } from "node:path";
import { expect, test } from "vitest";

const repository = resolve(import.meta.dirname, "../..");
const outside = new Set(["node_modules", ".tools", ".routeql", ".git", ".vitepress"]);
const pages: ReadonlyMap<string, string> = new Map(
  globSync("**/*.md", { cwd: repository, exclude: (path) => outside.has(posix.basename(path)) }).map((path) => [
    path,
    readFileSync(join(repository, path), "utf8"),
  ]),
);
const prose = (page: string): string => page.replaceAll(/^```.*?^```/gms, "");

/** GitHub's anchors of a page's headings: lower case, hyphens for spaces, no punctuation, `-1` for the second heading with the same text. */
function anchors(page: string): ReadonlySet<string> {
  const taken = new Map<string, number>();
  const found = [...prose(page).matchAll(/^#{1,6} (.*)$/gm)].map(([, heading = ""]) => {
    const text = heading.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1");
    const name = text
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}_\- ]/gu, "")
      .replaceAll(" ", "-");
    const before = taken.get(name) ?? 0;
    taken.set(name, before + 1);
    return before === 0 ? name : `${name}-${before}`;
  });
  return new Set(found);
}

const links = [...pages].flatMap(([page, text]) =>
  [...prose(text).matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, link = ""]) => link)
    .filter((link) => !/^[a-z]+:/.test(link))
    .map((link) => ({ page, link })),
);

/** Target of a page's link, from the repository's root. */
function target({ page, link }: { page: string; link: string }): { path: string; anchor: string | undefined } {
  const [path = "", anchor] = link.split("#");
  return { path: path === "" ? page : posix.normalize(posix.join(dirname(page), path)), anchor };
}

test("every link leads to an existing file, folder or heading", () => {
  expect(links.length).toBeGreaterThan(50);
  const dead = links.filter((each) => {
    const { path, anchor } = target(each);
    if (statSync(join(repository, path), { throwIfNoEntry: false }) === undefined) return true;
    return anchor !== undefined && !anchors(pages.get(path) ?? "").has(anchor);
  });
  expect(dead).toEqual([]);
});

test("every page of docs/ is reachable from the README", () => {
  const reached = new Set(
    links.filter(({ page }) => page === "README.md" || page.startsWith("docs/")).map((each) => target(each).path),
  );
  expect([...pages.keys()].filter((page) => page.startsWith("docs/") && !reached.has(page))).toEqual([]);
});

test("every command in the pages exists in package.json", () => {
  const { scripts } = JSON.parse(readFileSync(join(repository, "package.json"), "utf8")) as {
    scripts: Record<string, string>;
  };
  const commands = [...pages].flatMap(([page, text]) =>
    [...text.matchAll(/npm run (?:--silent )?([a-z][a-z0-9:-]*[a-z0-9])/g)].map(([, script = ""]) => ({
      page,
      script,
    })),
  );
  expect(commands.length).toBeGreaterThan(50);
  expect(commands.filter(({ script }) => !Object.hasOwn(scripts, script))).toEqual([]);
});

test("every page starts with its purpose", () => {
  const opening = ([, text]: [string, string]): string =>
    text
      .split("\n")
      .slice(1, 6)
      .join("\n")
      .replaceAll(/<!--.*?-->/gs, "")
      .trim();
  expect(
    [...pages]
      .filter((page) => !page[1].startsWith("# ") || opening(page) === "" || /^[#|]/.test(opening(page)))
      .map(([page]) => page),
  ).toEqual([]);
});

test("every page of docs/ is in the sidebar of the site", () => {
  const configuration = readFileSync(join(repository, "docs/.vitepress/config.ts"), "utf8");
  const listed = new Set(
    [...configuration.matchAll(/page\("[^"]+", "([^"]+)"\)/g)].map(([, path = ""]) =>
      path.endsWith("/") ? `docs/${path}README.md` : `docs/${path}.md`,
    ),
  );
  expect(
    [...pages.keys()].filter((path) => path.startsWith("docs/") && path !== "docs/README.md" && !listed.has(path)),
  ).toEqual([]);
});
