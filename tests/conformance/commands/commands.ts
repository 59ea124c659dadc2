import type { Command } from "./change.ts";
import { functionCommands } from "./function-commands.ts";
import { nativeCommands } from "./native-commands.ts";
import { permissionCommands } from "./permission-commands.ts";
import { relationshipCommands } from "./relationship-commands.ts";
import { sharedCommands } from "./shared-commands.ts";
import { tableCommands } from "./table-commands.ts";

/** Commands of Hasura's metadata API that change one object, by name without the prefix of the database kind. Commands about sources: sources.ts. */
export const commands: ReadonlyMap<string, Command> = new Map(
  [tableCommands, permissionCommands, relationshipCommands, functionCommands, nativeCommands, sharedCommands].flatMap(
    (all) => Object.entries(all),
  ),
);
