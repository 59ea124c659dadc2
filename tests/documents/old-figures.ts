/** Names figures of docs/reference/figures.md whose product has changed much since; `npm run lint` runs it. */
import { oldFigures } from "./figures.ts";

const old = oldFigures();
if (old.length > 0) console.log(`old figures, to be measured again with --record:\n  ${old.join("\n  ")}`);
