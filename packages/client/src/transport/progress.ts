/** How far a call has come. */
export interface Progress {
  readonly done: number
  /** Null if the service does not say how much there is. */
  readonly total: number | null
}

/** Told at the start, on the way and at the end; `done` never goes back, unless the call is sent again. */
export type OnProgress = (progress: Progress) => void
