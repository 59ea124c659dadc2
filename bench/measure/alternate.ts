/**
 * The order in which contenders are measured: each once a round, every other round backwards (A B C, C B A, …), so that a machine that
 * gets slower or faster does not favour any.
 */
export function alternate<Contender>(contenders: readonly Contender[], rounds: number): Contender[][] {
  return Array.from({ length: rounds }, (_, round) => (round % 2 === 0 ? [...contenders] : contenders.toReversed()));
}
