/** The size of a record, and how often the Worker called its buckets. */
export interface RecordCounts {
  readonly done: number
  /** Of the file that was written last. */
  readonly bytes: number
  /** Of erasure keys. */
  readonly reads: number
  readonly writes: number
}
