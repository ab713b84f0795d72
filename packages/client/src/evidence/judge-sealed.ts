import { locallyWrappedSchema } from '@svc/protocol/auth/local-wrap'
import { didSchema } from '@svc/protocol/base/identity'
import { contactEnvelopeSchema, inboxMessageSchema } from '@svc/protocol/inbox/inbox'
import { contactReplySchema } from '@svc/protocol/inbox/reply'
import * as z from 'zod'
import type { Sealed } from './detect/sealed.ts'
import { formed } from './form.ts'
import { type Check, unchecked, type Verdict, verdictOf } from './verdict/verdict.ts'

const pendingSchema = z.strictObject({
  format: z.literal('svc/pending-message/v1'),
  core: z.string(),
  contact: z.looseObject({ owner: didSchema }),
  envelope: contactEnvelopeSchema,
})
const inboxSchema = z.strictObject({
  format: z.literal('svc/inbox-export/v1'),
  did: didSchema,
  exportedAt: z.string(),
  messages: z.array(inboxMessageSchema),
})
const ageSchema = z.strictObject({ isWhole: z.literal(true) })

/**
 * What somebody encrypted, by the form that it has. Nothing in it can be verified without a key, and nobody is asked:
 * only the person it is encrypted for can open it.
 */
export function judgeSealed({ as, value }: Sealed): Verdict {
  return verdictOf('sealed', null, [unchecked('sealed', { as, ...foundIn(as, value) })], { needs: 'owner' })
}

function foundIn(as: Sealed['as'], value: unknown): Check['found'] {
  switch (as) {
    case 'age':
      formed(ageSchema, value)
      return {}
    case 'secret':
      formed(locallyWrappedSchema, value)
      return {}
    case 'reply':
      formed(contactReplySchema, value)
      return {}
    case 'message':
      return { did: formed(pendingSchema, value).contact.owner }
    case 'inbox': {
      const { did, messages } = formed(inboxSchema, value)
      return { did, count: messages.length }
    }
  }
}
