/**
 * The path of a registration on its owner's chain: from the capsule to the block that carries its hash, to the root key
 * that signed the block, to the DID. Every step but the acceptance by core is verified by whoever reads it.
 *
 * @module
 */
import * as z from 'zod'
import { assetIdSchema } from './assets.ts'
import { capsuleSchema, chainBindingSchema } from './capsules.ts'
import { chainBlockV4Schema } from './chain.ts'
import { hashSchema } from './hash.ts'
import { didSchema, scopeSchema } from './identity.ts'

export const chainProvenanceSchema = z
  .strictObject({
    assetId: assetIdSchema,
    did: didSchema,
    capsuleHash: hashSchema,
    position: z.int().min(1),
    registeredAt: z.int(),
    chain: chainBindingSchema,
  })
  .meta({ id: 'ChainProvenance', description: 'Where the owner’s chain carries the capsule' })

export const provenancePathSchema = z
  .strictObject({
    ...chainProvenanceSchema.shape,
    capsule: capsuleSchema,
    block: chainBlockV4Schema,
    scope: scopeSchema,
    epoch: z.int().min(0).meta({ description: 'The root epoch that signed the block; 0 needs no key history' }),
    steps: z.array(
      z.strictObject({
        step: z.enum(['capsule_hash', 'block_data', 'block_hash', 'block_signature', 'key_of_did']),
        says: z.string(),
      }),
    ),
  })
  .meta({ id: 'ProvenancePath', description: 'Each step can be verified by whoever reads it' })
export type ProvenancePath = z.infer<typeof provenancePathSchema>
export type ChainProvenance = z.infer<typeof chainProvenanceSchema>
