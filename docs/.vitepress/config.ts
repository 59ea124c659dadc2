/** The documentation site: `npm run site` builds it from the Markdown pages of this repository into docs/.vitepress/dist. */
import { resolve } from "node:path";
import { defineConfig } from "vitepress";

const repository = resolve(import.meta.dirname, "../..");

const page = (text: string, path: string): { text: string; link: string } => ({ text, link: `/docs/${path}` });

export default defineConfig({
  title: "RouteQL",
  description: "BGP routing updates and hijacks as a GraphQL API with permissions for each role",
  srcDir: repository,
  srcExclude: ["node_modules/**", "**/node_modules/**", ".tools/**", ".routeql/**", "CONTRIBUTING.md"],
  outDir: resolve(import.meta.dirname, "dist"),
  cacheDir: resolve(import.meta.dirname, "cache"),
  rewrites: (path) => path.replace(/README\.md$/, "index.md"),
  cleanUrls: true,
  // Pages link to source files and folders too; tests/documents/documentation.test.ts checks every link and heading.
  ignoreDeadLinks: true,
  // Braces in text are values, not attributes of the element before them.
  markdown: { attrs: { disable: true } },
  themeConfig: {
    search: { provider: "local" },
    outline: [2, 3],
    nav: [
      { text: "Start", link: "/docs/start/tutorial" },
      { text: "Clients", link: "/docs/clients/" },
      { text: "Operate", link: "/docs/#operate" },
      { text: "Reference", link: "/docs/#reference" },
      { text: "Design", link: "/docs/design/architecture" },
    ],
    sidebar: [
      {
        text: "Start",
        items: [
          { text: "What RouteQL is", link: "/" },
          page("Supported machines", "start/machines"),
          page("Tutorial", "start/tutorial"),
          page("Your own Pulumi program", "start/package"),
        ],
      },
      {
        text: "Clients",
        items: [
          page("Client guides", "clients/"),
          page("First subscription", "clients/first-subscription"),
          page("Flags of a hijack", "clients/flags"),
          page("Lost answers", "clients/lost-answers"),
          page("Console", "clients/console"),
          page("curl", "clients/curl"),
          page("Session flow", "clients/session"),
          page("Apollo Client", "clients/apollo"),
          page("urql", "clients/urql"),
          page("graphql-ws", "clients/graphql-ws"),
          page("Python", "clients/python"),
          page("graphql-codegen", "clients/codegen"),
          page("Spreadsheets and notebooks", "clients/data"),
          page("Pagination", "clients/pagination"),
          page("Subscriptions and close codes", "clients/websocket"),
        ],
      },
      {
        text: "Operate",
        items: [
          page("Docker and stacks", "operate/deploy"),
          page("Kubernetes", "operate/kubernetes"),
          page("Hasura", "operate/hasura"),
          page("Registries", "operate/registries"),
          page("Your files", "operate/your-files"),
          page("TLS certificates", "operate/tls"),
          page("LDAP", "operate/ldap"),
          page("Accounts and keys", "operate/users"),
          page("Secrets", "operate/secrets"),
          page("Load and detect", "operate/data"),
          page("Backup and restore", "operate/backup"),
          page("Monitoring", "operate/monitoring"),
          page("Traces", "operate/traces"),
          page("Runbooks", "operate/runbooks"),
          page("Upgrade", "operate/upgrade"),
          page("Status, logs and support", "operate/status"),
          page("Troubleshoot", "operate/troubleshoot"),
        ],
      },
      {
        text: "Reference",
        items: [
          page("Settings", "reference/settings"),
          page("Error codes", "reference/error-codes"),
          page("Permissions", "reference/permissions"),
          page("Embedded engine", "reference/engine"),
          page("Cost of a request", "reference/cost"),
          page("Metadata API", "reference/metadata-api"),
          page("hasura-checks", "reference/metadata-checks"),
          page("Images", "reference/images"),
          page("Data dictionary", "reference/data-dictionary"),
          page("Metrics", "reference/metrics"),
          page("Drills", "reference/drills"),
          page("Figures", "reference/figures"),
        ],
      },
      {
        text: "Design",
        items: [
          page("Architecture", "design/architecture"),
          page("Embedded engine", "design/engine"),
          page("Decisions", "design/decisions"),
          page("Faults and recovery", "design/faults"),
          page("Known limits", "design/limits"),
        ],
      },
    ],
  },
});
