/** Document 2 section 8. The five search routes count together. */
export const SEARCH_TIERS = { counter: 'search', anonymous: 10, authenticated: 60 } as const
