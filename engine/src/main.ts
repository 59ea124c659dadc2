import { run } from "./lifecycle/run.ts";

await run(process.env, process.argv.slice(2));
