/**
 * Vitest runs this before each file of the suites with a stack, also where several share one process.
 * @module
 */
import { afterAll } from "vitest";
import { closeDatabases } from "./database.ts";

afterAll(closeDatabases);
