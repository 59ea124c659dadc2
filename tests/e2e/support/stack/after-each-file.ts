/** Vitest runs this before each test file of the suites with a stack, even if several files share one process. */
import { afterAll } from "vitest";
import { closeDatabases } from "./database.ts";

afterAll(closeDatabases);
