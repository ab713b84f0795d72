/** The wire of core's internal route that appends what an owner has signed and a sibling carries. */
import * as z from 'zod'
import { chainBlockV4Schema, chainHeadSchema } from './chain.ts'
import { appendedSchema } from './chain-api.ts'
import { didSchema } from './identity.ts'

export const bindRequestSchema = z
  .strictObject({ did: didSchema, block: chainBlockV4Schema })
  .meta({ id: 'BindRequest', description: 'A block of the owner’s own making; its signature is its credential' })

const refused = <R extends string>(state: R) => z.strictObject({ state: z.literal(state) })

/** Refusals are answers: the caller passes on what its own client needs to make another block. */
export const bindAnswerSchema = z
  .discriminatedUnion('state', [
    appendedSchema.extend({ state: z.literal('appended') }).meta({
      id: 'BoundBlock',
      description: 'It is in the chain, now or since an earlier call',
    }),
    refused('stale_head').extend({ head: chainHeadSchema }).meta({ id: 'BindStaleHead' }),
    refused('stale_epoch')
      .extend({ epoch: z.int().min(0) })
      .meta({ id: 'BindStaleEpoch' }),
    refused('invalid_signature').meta({ id: 'BindInvalidSignature' }),
    refused('owner_mismatch').meta({ id: 'BindOwnerMismatch' }),
    refused('security_hold').meta({ id: 'BindSecurityHold' }),
    refused('profile_not_accepted').meta({ id: 'BindProfileNotAccepted' }),
  ])
  .meta({ id: 'BindAnswer' })
export type BindAnswer = z.infer<typeof bindAnswerSchema>
