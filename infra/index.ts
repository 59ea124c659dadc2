// The program of `pulumi up`. Its result is the stack's outputs.
import { program } from "./program.ts";

/** `pulumi destroy` deletes data only on request: `--exclude-protected` keeps the data, and `pulumi state unprotect --all` allows its deletion. */
export default () => program({ protectData: true });
