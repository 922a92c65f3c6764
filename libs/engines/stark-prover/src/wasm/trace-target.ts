/** Where a trace goes. */
export interface TraceTarget {
  /** Address of the columns, `traceLength` elements each, one after the other. */
  readonly columns: number;
  readonly traceLength: number;
  /** Rows that the AIR fills. */
  readonly rowCount: number;
}
