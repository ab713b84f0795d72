import * as z from 'zod'
import { defineOperation, type Route, route } from '../app/operation.ts'
import type { ApiDocument } from './document.ts'
import { markdownOf } from './markdown.ts'

/** It changes only with a deployment. */
const CACHE_CONTROL = 'public, max-age=300'

export const readOpenapi = defineOperation({
  id: 'readOpenapi',
  method: 'get',
  path: '/openapi.json',
  summary: 'Read the OpenAPI 3.1 description of this service, generated from its live routes',
  description:
    'For generating a client or a reference. Every operation lists its limits, the audience of its assertions and ' +
    'every status that it can answer with. May be cached for 300 seconds; it changes only with a deployment.',
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

/** The description of a service, including these routes. */
export function documentRoutes(document: ApiDocument, markdownPaths: readonly string[]): Route<unknown>[] {
  const bind = route<unknown>()
  let markdown: string | undefined
  const rendered = () => {
    markdown ??= markdownOf(document())
    return new Response(markdown, { headers: { 'content-type': 'text/markdown; charset=utf-8' } })
  }
  return [
    bind(readOpenapi, () => ({ paths: {}, ...document() })),
    ...markdownPaths.map((path, i) =>
      bind(
        defineOperation({
          id: `readMarkdown${i + 1}`,
          method: 'get',
          path,
          summary: 'Read the same description as Markdown',
          description:
            'For people and language models that want one text instead of JSON: every route with its credential, ' +
            'limits and statuses, but without schemas. May be cached for 300 seconds.',
          auth: 'none',
          cacheControl: CACHE_CONTROL,
          answer: { status: 200, description: 'Markdown', contentType: 'text/markdown' },
        }),
        rendered,
      ),
    ),
  ]
}
