/** The static files of a Worker that describe its API. A build writes them from the routes; `routes.ts` serves them. */
export const DESCRIPTION_FILES = { openapi: '/openapi.json', markdown: '/openapi.md' } as const
