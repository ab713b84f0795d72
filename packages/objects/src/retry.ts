/** What could not be delivered is repeated after 5 seconds, then twice as long each time, at most an hour. */
export const RETRY_MS = 5_000
export const MAX_RETRY_MS = 3_600_000
