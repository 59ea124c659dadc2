import { createWriteStream, mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Readable } from "node:stream";

let count = 0;

/** A consumer that stores a container's log in the folder of ROUTEQL_TEST_LOGS; without it the log is discarded. */
export function keepLog(name: string): (stream: Readable) => void {
  return (stream) => {
    const folder = process.env["ROUTEQL_TEST_LOGS"];
    if (folder === undefined) {
      stream.resume();
      return;
    }
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    count += 1;
    stream.pipe(createWriteStream(join(folder, `${name}-${process.pid}-${count}.log`), { mode: 0o600 }));
  };
}
