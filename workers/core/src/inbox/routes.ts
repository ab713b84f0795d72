import { didSchema } from '@svc/protocol/base/identity'
import {
  DEFAULT_INBOX_PAGE,
  inboxPageSchema,
  inboxSettingsSchema,
  MAX_INBOX_PAGE,
  messageDeletedSchema,
  messageIdSchema,
  messageReadSchema,
} from '@svc/protocol/inbox/inbox'
import { ApiError, defineOperation } from '@svc/service'
import * as z from 'zod'
import { coreRoute } from '../service.ts'

const inbox = z.strictObject({ did: didSchema })
const message = z.strictObject({ did: didSchema, msgId: messageIdSchema })
const count = z.string().regex(/^[0-9]{1,15}$/, 'must be a whole number')

export const listInbox = defineOperation({
  id: 'listInbox',
  method: 'get',
  path: '/api/inbox/{did}',
  summary: 'List the messages of an inbox, newest first, as its owner',
  description:
    'Messages are encrypted as received. A page ends after `limit` messages or about a megabyte; new messages do not ' +
    'shift later pages.',
  auth: 'assertion',
  audiences: ['chain'],
  capability: 'inbox:read',
  owner: 'did',
  params: inbox,
  query: z.strictObject({
    cursor: count.transform(Number).optional().meta({ description: '`next` of the previous page' }),
    limit: count
      .transform((text) => Math.min(MAX_INBOX_PAGE, Math.max(1, Number(text))))
      .optional()
      .meta({ description: `1 to ${MAX_INBOX_PAGE}, default ${DEFAULT_INBOX_PAGE}` }),
  }),
  answer: { status: 200, description: 'One page', schema: inboxPageSchema },
})

export const markMessageRead = defineOperation({
  id: 'markMessageRead',
  method: 'post',
  path: '/api/inbox/{did}/{msgId}/read',
  summary: 'Mark a message as read',
  description: 'Takes no body. Idempotent: keeps the first time.',
  auth: 'assertion',
  audiences: ['chain'],
  capability: 'inbox:read',
  owner: 'did',
  params: message,
  answer: { status: 200, description: 'Marked', schema: messageReadSchema },
  errors: ['not_found'],
})

export const deleteMessage = defineOperation({
  id: 'deleteMessage',
  method: 'delete',
  path: '/api/inbox/{did}/{msgId}',
  summary: 'Delete a message permanently',
  description:
    'Also a message that was never read. It is gone when this returns, and nobody can restore it. A message that ' +
    'does not exist, or was deleted before, is 404.',
  auth: 'assertion',
  audiences: ['chain'],
  capability: 'inbox:delete',
  owner: 'did',
  params: message,
  answer: { status: 200, description: 'Deleted', schema: messageDeletedSchema },
  errors: ['not_found'],
})

export const readInboxSettings = defineOperation({
  id: 'readInboxSettings',
  method: 'get',
  path: '/api/inbox/{did}/settings',
  summary: 'Read who may write to an inbox, as its owner',
  description:
    'A new inbox has `anyone`. With `contacts`, a contact request is answered as if the owner could not be found, so ' +
    'a stranger does not learn of the setting.',
  auth: 'assertion',
  audiences: ['chain'],
  capability: 'inbox:read',
  owner: 'did',
  params: inbox,
  answer: { status: 200, description: 'The settings', schema: inboxSettingsSchema },
})

export const putInboxSettings = defineOperation({
  id: 'putInboxSettings',
  method: 'put',
  path: '/api/inbox/{did}/settings',
  summary: 'Say who may write to an inbox, as its owner',
  description:
    'In effect when this returns, also for contact requests whose code was sent before. A stranger cannot tell an owner ' +
    'who takes contacts only from one who cannot be found. Idempotent.',
  auth: 'assertion',
  audiences: ['chain'],
  capability: 'root',
  owner: 'did',
  params: inbox,
  body: inboxSettingsSchema,
  answer: { status: 200, description: 'The settings', schema: inboxSettingsSchema },
})

export const inboxRoutes = [
  coreRoute(readInboxSettings, ({ params: { did }, deps }) => deps.inbox.settings(did)),
  coreRoute(putInboxSettings, ({ params: { did }, body, deps }) => deps.inbox.configure(did, body)),
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
