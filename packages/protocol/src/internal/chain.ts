/** Internal route of core through which another Worker appends a block signed by the owner. */
import * as z from 'zod'
import { didSchema } from '../base/identity.ts'
import { pure } from '../base/pure.ts'
import { appendedSchema } from '../chain/api.ts'
import { chainBlockV4Schema, chainHeadSchema } from '../chain/chain.ts'
import { tierSchema } from '../pay/tiers.ts'

export const bindRequestSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({ did: didSchema, block: chainBlockV4Schema })
    .meta({ id: 'BindRequest', description: 'A block signed by the owner; the signature is the credential' }),
)

const refused = <R extends string>(state: R) => z.strictObject({ state: z.literal(state) })

/** Refusals are returned as data, so that the caller can tell its client what is needed to build another block. */
export const bindAnswerSchema = /* @__PURE__ */ pure(() =>
  z
    .discriminatedUnion('state', [
      appendedSchema.extend({ state: z.literal('appended') }).meta({
        id: 'BoundBlock',
        description: 'The block is in the chain, appended by this or an earlier call',
      }),
      refused('stale_head').extend({ head: chainHeadSchema }).meta({ id: 'BindStaleHead' }),
      refused('stale_epoch')
        .extend({ epoch: z.int().min(0) })
        .meta({ id: 'BindStaleEpoch' }),
      refused('invalid_signature').meta({ id: 'BindInvalidSignature' }),
      refused('owner_mismatch').meta({ id: 'BindOwnerMismatch' }),
      refused('budget_exhausted')
        .extend({
          budget: z.enum(['storedBytes', 'storedRows']),
          used: z.int().min(0),
          limit: z.int().min(0),
          tier: tierSchema,
        })
        .meta({ id: 'BindBudgetExhausted' }),
      refused('security_hold').meta({ id: 'BindSecurityHold' }),
      refused('profile_not_accepted').meta({ id: 'BindProfileNotAccepted' }),
    ])
    .meta({ id: 'BindAnswer' }),
)
export type BindAnswer = z.infer<typeof bindAnswerSchema>
