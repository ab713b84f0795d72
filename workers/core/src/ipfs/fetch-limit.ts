/** Files that one address, or one identity that pins, can have fetched in a day: 64 MiB each. What is stored is free. */
export const FETCHES = { counter: 'ipfs-fetch', limit: 2_000, seconds: 86_400, protects: 'work' } as const
