/** What changes within this time is in one record. With the time of writing it, a record is at most a minute late. */
export const RECORD_DELAY_MS = 30_000
