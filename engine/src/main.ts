import { run } from "./operation/run.ts";

await run(process.env, process.argv.slice(2));
