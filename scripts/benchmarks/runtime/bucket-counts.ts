/** What one bucket of the map of accounts stores, writes and answers. */
export interface BucketCounts {
  readonly accounts: number
  /** Of the answer for an account without its audit path, on average. */
  readonly answer: number
  /** Of one hash of an audit path. */
  readonly hashBytes: number
  /** Of one entry of the log in an answer. */
  readonly entryBytes: number
  /** In the bucket, for one update in a map of its own. */
  readonly rowsPerPublication: number
  readonly bytesPerAccount: number
}
