import * as z from 'zod'
import { JsonText } from '../answer/json-text.ts'
import type { StaticFiles } from '../answer/static-files.ts'
import { defineOperation, type Route, route } from '../app/operation.ts'
import { DESCRIPTION_FILES } from './description-files.ts'

/** It changes only with a deployment. */
const CACHE_CONTROL = 'public, max-age=300'

export interface Described {
  readonly description: StaticFiles
}

export const readOpenapi = defineOperation({
  id: 'readOpenapi',
  method: 'get',
  path: '/openapi.json',
  summary: 'Read the OpenAPI 3.1 description of this service, generated from its live routes',
  description:
    'For generating a client or a reference. Every operation lists its limits, the audience of its assertions and ' +
    'every status that it can answer with. May be cached for 300 seconds; it changes only with a deployment. 503 where ' +
    'the deployment lacks the file.',
  auth: 'none',
  documentsHead: true,
  cacheControl: CACHE_CONTROL,
  answer: {
    status: 200,
    description: 'The description',
    bare: true,
    schema: z.looseObject({ openapi: z.string(), info: z.unknown(), paths: z.unknown() }),
  },
  errors: ['dependency_unavailable'],
})

/** The description of a service, these routes included: a file, so that no Worker carries what only describes it. */
export function documentRoutes(markdownPaths: readonly string[]): Route<Described>[] {
  const bind = route<Described>()
  return [
    bind(readOpenapi, async ({ deps: { description } }) => {
      const { body } = await description.read(DESCRIPTION_FILES.openapi)
      return new JsonText(new TextDecoder().decode(body))
    }),
    ...markdownPaths.map((path, i) =>
      bind(
        defineOperation({
          id: `readMarkdown${i + 1}`,
          method: 'get',
          path,
          summary: 'Read the same description as Markdown',
          description:
            'For people and language models that want one text instead of JSON: every route with its credential, ' +
            'limits and statuses, but without schemas. May be cached for 300 seconds. 503 where the deployment lacks ' +
            'the file.',
          auth: 'none',
          cacheControl: CACHE_CONTROL,
          answer: { status: 200, description: 'Markdown', contentType: 'text/markdown' },
          errors: ['dependency_unavailable'],
        }),
        async ({ deps: { description } }) => {
          const { body } = await description.read(DESCRIPTION_FILES.markdown)
          return new Response(body, { headers: { 'content-type': 'text/markdown; charset=utf-8' } })
        },
      ),
    ),
  ]
}
