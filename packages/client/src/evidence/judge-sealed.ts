import * as z from 'zod'
import { locallyWrappedSchema } from '#protocol/auth/local-wrap'
import { didSchema } from '#protocol/base/identity'
import { pure } from '#protocol/base/pure'
import { contactEnvelopeSchema, inboxMessageSchema } from '#protocol/inbox/inbox'
import { contactReplySchema } from '#protocol/inbox/reply'
import { SEALED_AS, type Sealed } from './detect/sealed.ts'
import { formed } from './form.ts'
import { type Check, unchecked, type Verdict, verdictOf } from './verdict/verdict.ts'

const pendingSchema = /* @__PURE__ */ pure(() =>
  z.strictObject({
    format: z.literal('svc/pending-message/v1'),
    core: z.string(),
    contact: z.looseObject({ owner: didSchema }),
    envelope: contactEnvelopeSchema,
  }),
)
const inboxSchema = /* @__PURE__ */ pure(() =>
  z.strictObject({
    format: z.literal('svc/inbox-export/v1'),
    did: didSchema,
    exportedAt: z.string(),
    messages: z.array(inboxMessageSchema),
  }),
)
const sealedSchema = /* @__PURE__ */ pure(() => z.object({ as: z.enum(SEALED_AS), value: z.unknown() }))
const ageSchema = /* @__PURE__ */ pure(() => z.strictObject({ isWhole: z.literal(true) }))

/**
 * What somebody encrypted, by the form that it has. Nothing in it can be verified without a key, and nobody is asked:
 * only the person it is encrypted for can open it.
 */
export function judgeSealed(given: unknown): Verdict {
  const { as, value } = formed(sealedSchema, given)
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
