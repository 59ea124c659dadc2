/** Heavy statements that may use the database at the same time, of this number of connections. The database's memory is sized for them. */
export const mostHeavy = (connections: number): number => Math.max(1, Math.floor(connections / 4));
