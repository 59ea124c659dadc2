import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Files run in the order of their names, so that the end-to-end suite walks the specification from its first line to its last. */
export default class InOrder extends BaseSequencer {
  override sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return Promise.resolve(files.toSorted((one, other) => (one.moduleId < other.moduleId ? -1 : 1)));
  }
}
