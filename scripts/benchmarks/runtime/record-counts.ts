/** What a record took, by what the Worker asked its buckets for. */
export interface RecordCounts {
  readonly done: number
  /** Of the file that was written last. */
  readonly bytes: number
  /** Of erasure keys. */
  readonly reads: number
  readonly writes: number
}
