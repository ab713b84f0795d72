import * as z from 'zod'
import type { ApiDocument } from './document.ts'
import { markdownOf } from './markdown.ts'
import { defineOperation, type Route, route } from './operation.ts'

/** It changes with a deployment and with nothing else. */
const CACHE_CONTROL = 'public, max-age=300'

export const readOpenapi = defineOperation({
  id: 'readOpenapi',
  method: 'get',
  path: '/openapi.json',
  summary: 'The OpenAPI 3.1 description of this service, generated from its live routes',
  auth: 'none',
  documentsHead: true,
  cacheControl: CACHE_CONTROL,
  answer: {
    status: 200,
    description: 'The description',
    bare: true,
    schema: z.looseObject({ openapi: z.string(), info: z.unknown(), paths: z.unknown() }),
  },
})

/** The description of a service, which includes these routes themselves. */
export function documentRoutes(document: ApiDocument, markdownPaths: readonly string[]): Route<unknown>[] {
  const bind = route<unknown>()
  return [
    bind(readOpenapi, () => ({ paths: {}, ...document() })),
    ...markdownPaths.map((path, i) =>
      bind(
        defineOperation({
          id: `readMarkdown${i + 1}`,
          method: 'get',
          path,
          summary: 'The same description as Markdown',
          auth: 'none',
          cacheControl: CACHE_CONTROL,
          answer: { status: 200, description: 'Markdown', contentType: 'text/markdown' },
        }),
        () => new Response(markdownOf(document()), { headers: { 'content-type': 'text/markdown; charset=utf-8' } }),
      ),
    ),
  ]
}
