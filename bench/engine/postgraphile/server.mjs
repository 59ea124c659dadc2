// PostGraphile 5 on the same views, as its documentation sets it up: Amber preset, node:http through grafserv, no plugins that watch
// or explain. Plain JavaScript: its packages lie in this folder alone and are not there when the project's types are checked.
import { createServer } from "node:http";
import { grafserv } from "postgraphile/grafserv/node";
import { postgraphile } from "postgraphile";
import { makePgService } from "postgraphile/adaptors/pg";
import { PostGraphileAmberPreset } from "postgraphile/presets/amber";
import { makeJSONPgSmartTagsPlugin } from "postgraphile/utils";

// Views have no visible keys or indexes, so those that the queries need are declared here.
const views = {
  view_hijacks: { tags: { primaryKey: "key" } },
  view_bgpupdates_hijacks: {
    tags: { foreignKey: "(hijack_key) references view_hijacks (key)|@fieldName hijack|@foreignFieldName updateLinks" },
  },
};

const preset = {
  extends: [PostGraphileAmberPreset],
  plugins: [makeJSONPgSmartTagsPlugin({ version: 1, config: { class: views } })],
  // Indexes lie below the views, where the plugin that hides unindexed columns does not look.
  disablePlugins: ["PgIndexBehaviorsPlugin"],
  pgServices: [
    makePgService({
      connectionString: process.env.DATABASE_URL,
      schemas: ["public"],
      poolSize: Number(process.env.POOL_SIZE),
    }),
  ],
  grafserv: { graphqlPath: "/graphql", graphiql: false, watch: false, maxRequestLength: 262_144 },
  grafast: { explain: false },
};

const serv = postgraphile(preset).createServ(grafserv);
const server = createServer();
await serv.addTo(server);
await serv.ready();
server.listen(Number(process.env.PORT), "127.0.0.1", () => process.stdout.write("ready\n"));
process.on("SIGTERM", () => process.exit(0));
