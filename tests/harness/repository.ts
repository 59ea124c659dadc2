import { resolve } from "node:path";

export const repository: string = resolve(import.meta.dirname, "../..");
