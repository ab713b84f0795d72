/**
 * The path of a registration on its owner's chain: from the capsule to the block that contains its hash, to the root key
 * that signed the block, to the DID. The reader can verify every step except the acceptance by core.
 *
 * @module
 */
import * as z from 'zod'
import { hashSchema } from '../base/hash.ts'
import { didSchema, scopeSchema } from '../base/identity.ts'
import { pure } from '../base/pure.ts'
import { chainBlockV4Schema } from '../chain/chain.ts'
import { assetIdSchema } from '../ledger/assets.ts'
import { capsuleSchema, chainBindingSchema } from './capsules.ts'

export const chainProvenanceSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      assetId: assetIdSchema,
      did: didSchema,
      capsuleHash: hashSchema,
      position: z.int().min(1),
      registeredAt: z.int(),
      chain: chainBindingSchema,
    })
    .meta({ id: 'ChainProvenance', description: 'The block of the owner’s chain that contains the capsule’s hash' }),
)

export const provenancePathSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      ...chainProvenanceSchema.shape,
      capsule: capsuleSchema,
      block: chainBlockV4Schema,
      scope: scopeSchema,
      epoch: z.int().min(0).meta({ description: 'Root epoch of the block’s signer; 0 needs no key history' }),
      steps: z.array(
        z.strictObject({
          step: z.enum(['capsule_hash', 'block_data', 'block_hash', 'block_signature', 'key_of_did']),
          says: z.string(),
        }),
      ),
    })
    .meta({ id: 'ProvenancePath', description: 'The reader can verify each step' }),
)
export type ProvenancePath = z.infer<typeof provenancePathSchema>
export type ChainProvenance = z.infer<typeof chainProvenanceSchema>
