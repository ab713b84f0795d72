import { didSchema } from '@svc/protocol/identity'
import {
  DEFAULT_INBOX_PAGE,
  inboxPageSchema,
  MAX_INBOX_PAGE,
  messageDeletedSchema,
  messageIdSchema,
  messageReadSchema,
} from '@svc/protocol/inbox'
import { ApiError, defineOperation } from '@svc/service'
import * as z from 'zod'
import { coreRoute } from '../route.ts'

const inbox = z.strictObject({ did: didSchema })
const message = z.strictObject({ did: didSchema, msgId: messageIdSchema })
const count = z.string().regex(/^[0-9]{1,15}$/, 'must be a whole number')

export const listInbox = defineOperation({
  id: 'listInbox',
  method: 'get',
  path: '/api/inbox/{did}',
  summary: 'The messages of an inbox, newest first, for its owner',
  description:
    'Sealed as they came. A page ends after `limit` messages or about a megabyte; what comes in later does not move ' +
    'the pages after a cursor.',
  auth: 'assertion',
  owner: 'did',
  params: inbox,
  query: z.strictObject({
    cursor: count.transform(Number).optional().meta({ description: '`next` of the page before' }),
    limit: count
      .transform((text) => Math.min(MAX_INBOX_PAGE, Math.max(1, Number(text))))
      .optional()
      .meta({ description: `1 to ${MAX_INBOX_PAGE}; ${DEFAULT_INBOX_PAGE} unless told` }),
  }),
  answer: { status: 200, description: 'One page', schema: inboxPageSchema },
})

export const markMessageRead = defineOperation({
  id: 'markMessageRead',
  method: 'post',
  path: '/api/inbox/{did}/{msgId}/read',
  summary: 'Mark a message as read',
  description: 'Takes no body. Again changes nothing: the first time stays.',
  auth: 'assertion',
  owner: 'did',
  params: message,
  answer: { status: 200, description: 'It is marked', schema: messageReadSchema },
  errors: ['not_found'],
})

export const deleteMessage = defineOperation({
  id: 'deleteMessage',
  method: 'delete',
  path: '/api/inbox/{did}/{msgId}',
  summary: 'Delete a message for good',
  auth: 'assertion',
  owner: 'did',
  params: message,
  answer: { status: 200, description: 'It is gone', schema: messageDeletedSchema },
  errors: ['not_found'],
})

export const inboxRoutes = [
  coreRoute(listInbox, ({ params, query, deps }) =>
    deps.inbox.list(params.did, query.cursor ?? Number.MAX_SAFE_INTEGER, query.limit ?? DEFAULT_INBOX_PAGE),
  ),
  coreRoute(markMessageRead, async ({ params: { did, msgId }, deps }) => {
    const readAt = await deps.inbox.markRead(did, msgId)
    if (readAt === null) throw new ApiError('not_found')
    return { msgId, readAt }
  }),
  coreRoute(deleteMessage, async ({ params: { did, msgId }, deps }) => {
    if (!(await deps.inbox.delete(did, msgId))) throw new ApiError('not_found')
    return { msgId, deleted: true as const }
  }),
]
