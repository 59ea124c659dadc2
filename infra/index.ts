// The program as `pulumi up` runs it; what it returns are the stack's outputs.
import { program } from "./program.ts";

/**
 * A `pulumi destroy` has to say that it means the data too: `--exclude-protected` keeps them, `pulumi state unprotect --all`
 * gives them up.
 */
export default () => program({ protectData: true, policies: true });
