export interface Answer {
  readonly status: number
  readonly statusText: string
  readonly tookMs: number
  readonly headers: readonly (readonly [string, string])[]
  readonly body: string
  /** As it was sent; null without one. */
  readonly assertion: string | null
}
