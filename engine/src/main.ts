import { run } from "./operation/run.ts";

await run(process.env);
