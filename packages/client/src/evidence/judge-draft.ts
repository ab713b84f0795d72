import * as z from 'zod'
import { didSchema } from '#protocol/base/identity'
import { pure } from '#protocol/base/pure'
import { orgInceptionSchema, orgOfficersSchema } from '#protocol/devices/inception'
import { governanceAttestationSchema } from '#protocol/ledger/attestations'
import { policyProposalSchema } from '#protocol/ledger/governance'
import { DRAFT_AS, type Draft } from './detect/drafts.ts'
import { formed } from './form.ts'
import { unchecked, type Verdict, verdictOf } from './verdict/verdict.ts'

const SCHEMAS = /* @__PURE__ */ pure(
  () =>
    ({
      answers: z.strictObject({
        format: z.literal('svc/evidence/v1'),
        core: z.string(),
        at: z.int(),
        pin: z.unknown(),
        answers: z.record(z.string(), z.unknown()),
      }),
      invitation: z.strictObject({
        format: z.literal('svc/org-invitation/v1'),
        orgDid: didSchema,
        memberDid: didSchema,
        provider: z.string(),
        subjectHash: z.string(),
        role: z.string(),
        permissions: z.array(z.string()),
      }),
      officers: z.union([orgInceptionSchema, orgOfficersSchema]),
      policy: policyProposalSchema,
      policy_signature: governanceAttestationSchema,
    }) as const satisfies Record<Draft['as'], z.ZodType>,
)

const draftSchema = /* @__PURE__ */ pure(() => z.object({ as: z.enum(DRAFT_AS), value: z.unknown() }))

/** Says what it is for. It stays undecided: what it becomes is what can be verified. */
export function judgeDraft(given: unknown): Verdict {
  const { as, value } = formed(draftSchema, given)
  formed(SCHEMAS[as] as z.ZodType, value)
  return verdictOf('draft', null, [unchecked('draft', { as })], { needs: 'whole' })
}
