/** The most bytes of HTML that a reader waits for, compressed with gzip as an edge does. */
export const HTML_BUDGETS = { page: 25_000, reference: 40_000 } as const

/** The budget of a page; a reference of the API may be larger. */
export const htmlBudget = (path: string): number =>
  path.includes('/api-') ? HTML_BUDGETS.reference : HTML_BUDGETS.page
