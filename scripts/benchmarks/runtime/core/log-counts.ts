/** What the object of a log stores and writes for one batch. */
export interface LogCounts {
  readonly bytes: number
  readonly rowsWritten: number
}
