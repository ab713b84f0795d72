import type { LogHead, OpenLog, SubmittedLeaf } from '@svc/log'
import type { Result } from '@svc/protocol/base/result'
import type { BucketHead, CountCall, Lost, RefillCall } from './bucket.ts'

/** The logs, as the publisher reads and writes them. */
export interface MapLogs {
  /** The log that takes leaves now. */
  readonly open: () => Promise<OpenLog>
  readonly head: (log: string) => Promise<LogHead>
  readonly entries: (log: string, head: LogHead, from: number, to: number) => Promise<string[]>
  /** Idempotent: where the log has the leaf. */
  readonly submit: (log: string, leaf: SubmittedLeaf) => Promise<number>
  readonly acknowledge: (log: string, index: number) => Promise<void>
}

export interface MapBuckets {
  readonly count: (bucket: number, call: CountCall) => Promise<Result<BucketHead, Lost>>
  readonly reset: (bucket: number) => Promise<void>
  readonly refill: (bucket: number, call: RefillCall) => Promise<Result<BucketHead, Lost>>
}
