/**
 * The order of measurements: each contender once per round, every second round in reverse (A B C, C B A, …), so that a machine that
 * becomes slower or faster favours none.
 */
export function alternate<Contender>(contenders: readonly Contender[], rounds: number): Contender[][] {
  return Array.from({ length: rounds }, (_, round) => (round % 2 === 0 ? [...contenders] : contenders.toReversed()));
}
