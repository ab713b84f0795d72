import type { Fetch } from '@svc/client'
import type { Lie } from './lies.ts'

/** An example that asks no service has no lie. */
export interface SdkExample<V = unknown> {
  readonly lie?: Lie
  /** Runs the example and returns what it found. */
  readonly run: (tell: (fetch: Fetch) => Fetch) => Promise<V>
  readonly honest: (found: V) => void | Promise<void>
  readonly lied?: (found: V) => void
  /** Members of answers that only the service says, so that nobody can notice a change. */
  readonly claims?: readonly string[]
}

export const example = <V>(one: SdkExample<V>): SdkExample => one as SdkExample
