// The program as `pulumi up` runs it; what it returns are the stack's outputs.
export { program as default } from "./program.ts";
