import { run } from "./lifecycle/run.ts";

await run(process.env);
