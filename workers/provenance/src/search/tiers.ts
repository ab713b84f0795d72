/** The five search routes share one counter. */
export const SEARCH_TIERS = { counter: 'search', anonymous: 10, authenticated: 60, protects: 'work' } as const
