import { takedownPageSchema, takedownQuerySchema } from '@svc/protocol/operator/takedown'
import { ApiError, defineOperation } from '@svc/service'
import { provenanceRoute } from '../service.ts'

export const listTakedowns = defineOperation({
  id: 'listTakedowns',
  method: 'get',
  path: '/api/takedowns',
  summary: 'List what the operator took down',
  description: 'Every takedown, oldest first, 100 per page: what, why and when.',
  auth: 'none',
  query: takedownQuerySchema,
  answer: { status: 200, description: 'A page', schema: takedownPageSchema },
  errors: ['invalid_cursor', 'dependency_unavailable'],
})

export const takedownRoutes = [
  provenanceRoute(listTakedowns, async ({ query, deps }) => {
    const page = await deps.takedowns.page(query.cursor)
    if (!page) throw new ApiError('invalid_cursor')
    return page
  }),
]
