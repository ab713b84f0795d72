/** What one object stores and writes. */
export interface IdentityCounts {
  /** Of the database of an object without tables. */
  readonly emptyBytes: number
  readonly newBytes: number
  /** With the nonce of one read. */
  readonly readBytes: number
  readonly rowsWritten: number
  /** Tables and indexes of a new identity. */
  readonly trees: number
}
