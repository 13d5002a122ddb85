export interface Turn {
  moment: Date;
  metres: number;
  kind: "high water" | "low water";
}

/** Writes a tide table, one line for each turn of the tide. */
export function formatTideTable(turns: Turn[]): string {
  return turns
    .map((turn) => `${turn.moment.toISOString()}  ${turn.kind.padEnd(10)}  ${turn.metres.toFixed(2)} m`)
    .join("\n");
}
