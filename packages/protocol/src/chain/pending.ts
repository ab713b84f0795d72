/**
 * What is about to happen to an identity, told with answers that its owner reads often: looking at the chain or the
 * devices also shows that somebody wants to replace or end the root key.
 *
 * @module
 */
import * as z from 'zod'
import { hashSchema } from '../base/hash.ts'
import { pure } from '../base/pure.ts'
import { standingChangesSchema } from './watch.ts'

export const pendingChangeSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      rotationId: hashSchema.meta({ description: 'Name it in vetoes and co-signatures' }),
      kind: z.enum(['rotation', 'deactivation']),
      version: z.union([z.literal(1), z.literal(2)]),
      requestedAt: z.number().meta({ description: 'Epoch ms' }),
      deadline: z.number().nullable().meta({ description: 'When it can take effect, epoch ms; null for version 1' }),
      isCosigned: z
        .boolean()
        .meta({ description: 'Whether a device co-signed it: the root key can then only contest it' }),
      isApproved: z.boolean().meta({ description: 'Whether an operator approved it: nobody can stop it then' }),
    })
    .meta({
      id: 'PendingChange',
      description: 'A rotation or deactivation of the caller’s identity that is not decided',
    }),
)
export type PendingChange = z.infer<typeof pendingChangeSchema>

/** Members of responses to the owner. Each is absent if there is nothing to report. */
export const pendingMember = /* @__PURE__ */ pure(() => ({
  pending: pendingChangeSchema.optional(),
  changes: standingChangesSchema.optional(),
}))
