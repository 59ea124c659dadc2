import type { Command } from "./change.ts";
import { functionCommands } from "./function-commands.ts";
import { manyTableCommands } from "./many-tables.ts";
import { nativeCommands } from "./native-commands.ts";
import { permissionCommands } from "./permission-commands.ts";
import { relationshipCommands } from "./relationship-commands.ts";
import { sharedCommands } from "./shared-commands.ts";
import { renameSource, sourceCommands } from "./source-commands.ts";
import { tableCommands } from "./table-commands.ts";

/** Commands about one source; their names have the database kind as prefix, `pg_track_table`. */
export const ofPostgres: ReadonlyMap<string, Command> = new Map(
  [sourceCommands, tableCommands, manyTableCommands, permissionCommands, relationshipCommands, functionCommands, nativeCommands].flatMap((commands) => Object.entries(commands)),
);

/** Commands without a prefix. */
export const ofAll: ReadonlyMap<string, Command> = new Map(Object.entries({ rename_source: renameSource, ...sharedCommands }));
