import { actOrRebuildAnswerSchema, operatorActSchema } from '@svc/protocol/operator/acts'
import { invitePageSchema, signedInviteReadSchema } from '@svc/protocol/operator/invites'
import { operatorReadRoute, operatorRoute, takedownReadRoute } from '@svc/service'
import type { Services } from '../services.ts'

export const operatorRoutes = [
  operatorRoute({
    acts: operatorActSchema,
    about:
      'Rebuilds objects from their records, the chain index of an identity or a part of the index of anchors, goes on to the next log of anchors, approves a version-1 rotation, sets the first governance policy, takes ' +
      'content down, withholds an anchor, or approves, declines or forgets a request for an invitation.',
    answer: actOrRebuildAnswerSchema,
    errors: [
      'not_found',
      'key_not_committed',
      'policy_founded',
      'duplicate_signer',
      'threshold_out_of_range',
      'cid_unsupported',
      'log_closed',
      'log_not_announced',
      'invite_decided',
      'invite_under_way',
      'invite_unreadable',
    ],
  }),
  operatorReadRoute(
    {
      id: 'readInvites',
      path: '/api/operator/invites',
      summary: 'List requests for an invitation',
      about: 'Oldest first, 100 per page, with the personal data in them and the `id` that an act names.',
      read: signedInviteReadSchema,
      answer: invitePageSchema,
    },
    ({ inviteReads }: Services, read, now) => inviteReads.take(read, now),
  ),
  takedownReadRoute('core'),
]
